import { describe, expect, it } from 'vitest';
import { type Declaration, Entries } from '../scripts/outside/entries.ts';
import { publicPackages } from '../scripts/packages.ts';
import { ROOT } from './support/pages.ts';

/** A documentation comment ends right before the declaration, and begins with a sentence. */
function isDocumented({ node, text }: Pick<Declaration, 'node' | 'text'>): boolean {
  const before = text.slice(0, node.start);
  const comment = before.slice(before.lastIndexOf('/**'));
  return /^\/\*\*[\s*]*[^\s*@][\s\S]*\*\/\s*(?:export\s+)?(?:abstract\s+)?$/.test(comment);
}

describe('the entries of the packages', () => {
  it('say of every exported name what it is', () => {
    const entries = new Entries(ROOT, publicPackages(ROOT));
    const names = entries
      .published()
      .flatMap(entry =>
        [...entries.of(entry)].map(([name, declarations]) => ({ name: `${entry}: ${name}`, declarations })),
      );
    expect(names.length).toBeGreaterThan(300);
    // What other packages declare says it there.
    const own = names.filter(({ declarations }) => declarations.length > 0);
    const silent = own.filter(({ declarations }) => !declarations.some(isDocumented));
    expect(silent.map(({ name }) => name)).toEqual([]);
  });

  it.each([
    ['/** What it is. */\nexport type A = 1;', true],
    ['/** What it is. */\ntype A = 1;\nexport type B = 1;', false],
    ['// What it is.\nexport type A = 1;', false],
    ['/** @throws Error always. */\nexport type A = 1;', false],
  ])('%j is told apart', (text, expected) => {
    const start = text.lastIndexOf('type');
    const node = { type: 'TSTypeAliasDeclaration', start, end: text.length };
    expect(isDocumented({ node, text })).toBe(expected);
  });
});
