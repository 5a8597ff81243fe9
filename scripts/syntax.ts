import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'vitest/node';

/** A node of the syntax tree. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

/** A source file with its syntax tree. */
export interface ParsedFile {
  /** Relative to the root. */
  readonly path: string;
  readonly text: string;
  readonly program: SyntaxNode;
}

/** Reads the TypeScript files below folders that exist, in the order of their paths. */
export function parseFolders(
  root: string,
  folders: readonly string[],
  pattern: RegExp = /\.m?ts$/,
): ParsedFile[] {
  const paths = folders.flatMap(folder => {
    try {
      const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
      return files.filter(file => pattern.test(file)).map(file => join(folder, file));
    } catch {
      return [];
    }
  });
  return paths.sort().map(path => parseText(path, readFileSync(join(root, path), 'utf8')));
}

/** Parses one text. */
export function parseText(path: string, text: string): ParsedFile {
  return {
    path,
    text,
    program: parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }) as unknown as SyntaxNode,
  };
}

/** Calls `see` with every node, its parent, and the member of the parent that holds it. */
export function walk(
  node: SyntaxNode,
  see: (node: SyntaxNode, parent: SyntaxNode | undefined, member: string) => void,
  parent?: SyntaxNode,
  member = '',
): void {
  see(node, parent, member);
  for (const [name, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) walk(child, see, node, name);
    }
  }
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** Line of a place in a text, from 1. */
export function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}
