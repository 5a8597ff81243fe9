import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseAst } from 'vitest/node';

/** A regular expression of a package's sources. */
export interface RegularExpression {
  /** Relative to the root. */
  readonly file: string;
  readonly line: number;
  /** Undefined when the program puts it together: `new RegExp(text)` with a text that is no literal. */
  readonly source: string | undefined;
  readonly flags: string;
}

/** Every regular expression in the sources and binaries of the packages, in the order of files and lines. */
export function listRegularExpressions(root: string): RegularExpression[] {
  return sourceFiles(root).flatMap(file => expressionsOf(file, readFileSync(join(root, file), 'utf8')));
}

function sourceFiles(root: string): string[] {
  const packages = readdirSync(join(root, 'packages')).flatMap(name =>
    ['src', 'bin'].map(folder => join(root, 'packages', name, folder)),
  );
  return packages
    .flatMap(folder => filesBelow(folder))
    .map(path => relative(root, path))
    .sort();
}

function filesBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && /\.[cm]?[jt]s$/.test(entry.name))
      .map(entry => join(entry.parentPath, entry.name));
  } catch {
    return [];
  }
}

interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly [member: string]: unknown;
}

/** Literals, calls of `RegExp`, and the string methods that make a pattern of a text. */
export function expressionsOf(file: string, text: string): RegularExpression[] {
  const found: RegularExpression[] = [];
  const lineOf = (at: number) => text.slice(0, at).split('\n').length;
  walk(parseAst(text, { lang: 'ts' }), node => {
    const line = lineOf(node.start);
    const literal = patternOf(node);
    if (literal !== undefined) found.push({ file, line, ...literal });
    const made = madeBy(node);
    if (made !== undefined) found.push({ file, line, ...made });
  });
  return found;
}

interface Pattern {
  readonly source: string | undefined;
  readonly flags: string;
}

function patternOf(node: SyntaxNode): Pattern | undefined {
  const regex = node['regex'] as { pattern: string; flags: string } | undefined;
  return node.type === 'Literal' && regex !== undefined
    ? { source: regex.pattern, flags: regex.flags }
    : undefined;
}

/** The pattern of `RegExp(…)` or of `text.match('…')`; undefined when a literal of its own is listed already. */
function madeBy(node: SyntaxNode): Pattern | undefined {
  if (node.type !== 'NewExpression' && node.type !== 'CallExpression') return undefined;
  const callee = node['callee'] as SyntaxNode;
  const [first, second] = node['arguments'] as (SyntaxNode | undefined)[];
  const method = callee.type === 'MemberExpression' ? (callee['property'] as SyntaxNode)['name'] : undefined;
  const makes = callee['name'] === 'RegExp' || ['match', 'matchAll', 'search'].includes(String(method));
  const isListed = [first, second].some(given => given !== undefined && patternOf(given) !== undefined);
  if (!makes || first === undefined || isListed) return undefined;
  if (method !== undefined && first.type === 'Identifier') return undefined;
  return { source: textOf(first), flags: (second === undefined ? '' : textOf(second)) ?? '' };
}

function textOf(node: SyntaxNode): string | undefined {
  return node.type === 'Literal' && typeof node['value'] === 'string' ? node['value'] : undefined;
}

function walk(value: unknown, see: (node: SyntaxNode) => void): void {
  if (Array.isArray(value)) for (const item of value) walk(item, see);
  else if (typeof value === 'object' && value !== null) {
    if ('type' in value && 'start' in value) see(value as SyntaxNode);
    for (const inner of Object.values(value)) walk(inner, see);
  }
}
