import { join } from 'node:path';
import { type Declaration, Entries } from './outside/entries.ts';
import { publicPackages } from './packages.ts';

/** Of a class whose type alone is exported, nobody outside can call it. */
const CONSTRUCTOR = /^ {4}constructor\([\s\S]*?\);\n/gm;
const COMMENT = /^[ \t]*\/\*\*[\s\S]*?\*\/\n?/gm;

/** One declaration without its comments and without what nobody outside can reach. */
function shown({ node, text, typeOnly }: Declaration): string {
  const code = text.slice(node.start, node.end).replace(/^declare /, '');
  return code
    .replace(COMMENT, '')
    .replace(typeOnly ? CONSTRUCTOR : /$^/, '')
    .split('\n')
    .filter(line => !/^\s*(?:private\b.*|#private);$/.test(line))
    .join('\n')
    .trim();
}

/**
 * The API report of each entry of the published packages, by path below the root: every exported name in alphabetical
 * order with the declaration that the compiler wrote for it. What stands there is a promise.
 */
export function apiReports(root: string): ReadonlyMap<string, string> {
  const entries = new Entries(root, publicPackages(root), { emitted: true });
  return new Map(
    entries.published().map(entry => {
      const declared = [...entries.of(entry)].sort(([a], [b]) => (a < b ? -1 : 1));
      const sections = declared.map(
        ([name, declarations]) => `## ${name}\n\n${declarations.map(shown).join('\n')}\n`,
      );
      const file = `${entry.replace('@', '').replaceAll('/', '.')}.txt`;
      return [join('api', file), [`# ${entry}\n`, ...sections].join('\n')];
    }),
  );
}
