// npm run figures [-- <checkout> ...]: how large and how tangled the sources are, one column per checkout (default: this one).
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findCodeLiterals } from './code-literals.ts';
import { countDialect, DIALECT } from './dialect.ts';
import { markdownTable } from './markdown-table.ts';
import { readSources } from './source-imports.ts';
import { parseFolders } from './syntax.ts';
import { findCycles } from './type-cycles.ts';

const PACKAGES = ['protocol', 'redis', 'engine', 'core', 'server', 'client', 'codegen', 'dash'];
const SHARED = ['foundation', 'command-line'];

function figuresOf(root: string): Readonly<Record<string, string | number>> {
  const packages = [...SHARED, ...PACKAGES].filter(name => existsSync(join(root, 'packages', name)));
  const files = parseFolders(
    root,
    packages.map(name => `packages/${name}/src`),
  );
  const lengths = files.map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }));
  lengths.sort((a, b) => a.lines - b.lines);
  const largest = lengths.at(-1);
  const atServerRoot = files.filter(({ path }) => /^packages\/server\/src\/[^/]+$/.test(path));
  return {
    'source files': files.length,
    'source lines': lengths.reduce((sum, { lines }) => sum + lines, 0),
    'lines of the median file': lengths[lengths.length >> 1]?.lines ?? 0,
    'largest file': `${largest?.lines} (${largest?.path.replace('packages/', '')})`,
    'files above 250 lines': lengths.filter(({ lines }) => lines > 250).length,
    'circles of files, types included': findCycles(readSources(root)).length,
    'codes written as numbers': findCodeLiterals(
      root,
      packages.map(name => `packages/${name}`),
    ).length,
    ...Object.fromEntries(DIALECT.map(rule => [rule.name, countDialect(files, rule)])),
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
