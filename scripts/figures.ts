// npm run figures [-- <checkout> ...]: how large and how tangled the sources are, one column per checkout (default: this one).
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findCodeLiterals } from './code-literals.ts';
import { readSources } from './import-rules.ts';
import { markdownTable } from './markdown-table.ts';
import { parseFolders, type SyntaxNode, walk } from './syntax.ts';
import { findCycles } from './type-cycles.ts';

const PACKAGES = ['protocol', 'redis', 'engine', 'core', 'server', 'client', 'codegen', 'dash'];
const SHARED = ['foundation', 'command-line'];

function countNodes(program: SyntaxNode, matches: (node: SyntaxNode) => boolean): number {
  let count = 0;
  walk(program, node => {
    if (matches(node)) count++;
  });
  return count;
}

function isInstanceOfPromise({ type, operator, right }: SyntaxNode): boolean {
  return (
    type === 'BinaryExpression' && operator === 'instanceof' && (right as SyntaxNode)['name'] === 'Promise'
  );
}

/** `...(condition ? {…} : {})` and `...(condition && {…})` in an object. */
function isConditionalSpread({ type, argument }: SyntaxNode): boolean {
  const inner = (argument as SyntaxNode | undefined)?.type ?? '';
  return type === 'SpreadElement' && ['ConditionalExpression', 'LogicalExpression'].includes(inner);
}

function isPrivateMember({ type, accessibility }: SyntaxNode): boolean {
  const members = ['PropertyDefinition', 'MethodDefinition', 'TSParameterProperty'];
  return members.includes(type) && accessibility === 'private';
}

function figuresOf(root: string): Readonly<Record<string, string | number>> {
  const packages = [...SHARED, ...PACKAGES].filter(name => existsSync(join(root, 'packages', name)));
  const files = parseFolders(
    root,
    packages.map(name => `packages/${name}/src`),
  );
  const lengths = files.map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }));
  lengths.sort((a, b) => a.lines - b.lines);
  const largest = lengths.at(-1);
  const total = (matches: (node: SyntaxNode) => boolean, below = '') =>
    files
      .filter(({ path }) => path.startsWith(below))
      .reduce((sum, file) => sum + countNodes(file.program, matches), 0);
  const atServerRoot = files.filter(({ path }) => /^packages\/server\/src\/[^/]+$/.test(path));
  return {
    'source files': files.length,
    'source lines': lengths.reduce((sum, { lines }) => sum + lines, 0),
    'lines of the median file': lengths[lengths.length >> 1]?.lines ?? 0,
    'largest file': `${largest?.lines} (${largest?.path.replace('packages/', '')})`,
    'files above 250 lines': lengths.filter(({ lines }) => lines > 250).length,
    'circles of files, types included': findCycles(readSources(root)).length,
    '`instanceof Promise`': total(isInstanceOfPromise),
    'codes written as numbers': findCodeLiterals(
      root,
      packages.map(name => `packages/${name}`),
    ).length,
    '`private` members in dash': total(isPrivateMember, 'packages/dash/'),
    'conditional spreads': total(isConditionalSpread),
    'files at the root of server/src': atServerRoot.length,
  };
}

const roots = process.argv.length > 2 ? process.argv.slice(2) : ['.'];
const columns = roots.map(figuresOf);
const rows = Object.keys(columns[0] ?? {}).map(name => [
  name,
  ...columns.map(column => String(column[name])),
]);
console.log(markdownTable(['Figure', ...roots], rows));
