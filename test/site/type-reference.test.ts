import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Entries } from '../../scripts/outside/entries.ts';
import { publicPackages } from '../../scripts/packages.ts';
import { publicEntries, type ReferenceEntry } from '../../scripts/type-reference/extract.ts';
import { referencePagesOf } from '../../scripts/type-reference/pages.ts';
import { ROOT } from '../support/pages.ts';

describe('the TypeScript reference', () => {
  const packages = publicPackages(ROOT);

  it.each(packages)('has every exported name of %s', folder => {
    const page = readFileSync(join(ROOT, `docs/reference/${basename(folder)}.md`), 'utf8');
    const entries = new Entries(ROOT, packages);
    const own = publicEntries(ROOT, folder);
    expect(own.length).toBeGreaterThan(0);
    for (const [entry] of own) {
      const [, section = ''] = page.split(`\n## ${entry}\n`);
      const text = section.split('\n## ')[0] ?? '';
      const missing = [...entries.of(entry).keys()].filter(
        name =>
          !text.includes(`\n### ${name}\n\n`) &&
          !text.includes(`\n| [\`${name}\`](`) &&
          !text.includes(`\n| \`${name}\` | \``),
      );
      expect(missing, entry).toEqual([]);
    }
  });

  it('says what a name is, shows its declaration, and links to the types that it mentions', () => {
    const page = readFileSync(join(ROOT, 'docs/reference/client.md'), 'utf8');
    const [section = ''] = (page.split('\n### ConnectOptions\n')[1] ?? '').split('\n### ');
    expect(section.trim()).toMatch(/^\S[^\n]*\./);
    expect(section).toContain('interface ConnectOptions {\n  readonly signal?: AbortSignalLike;\n');
    expect(section).toMatch(/\n\| `timeoutMs` \| \S.* \|\n/);
    expect(section).toContain('Types: [`AbortSignalLike`](#abortsignallike)');
  });

  it('is not made while an exported name has no sentence', () => {
    const silent: ReferenceEntry = {
      name: '@msg/core',
      folder: 'packages/core',
      symbols: [{ name: 'quiet', items: [] }],
      others: [],
    };
    expect(() => referencePagesOf(ROOT, [silent])).toThrow('@msg/core: quiet');
  });
});
