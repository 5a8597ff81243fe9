import { copyFileSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { adopt } from '../../src/cli/adopt.ts';
import { CORPUS, corpusFaults, corpusOf, openOf } from '../../src/cli/corpus.ts';
import { EXIT } from '../../src/cli/exit.ts';

const ENTRY = 'new-epoch-after-a-restart';
const folder = mkdtempSync(join(tmpdir(), 'msg-corpus-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Adopts a copy of a plan of the corpus; returns what the command ends with. */
function adopted(name: string, mutant?: string): number {
  const file = join(folder, 'plan.txt');
  copyFileSync(join(CORPUS, `${ENTRY}.json`), file);
  return adopt({ file, name, mutant }, () => {}, folder);
}

describe('npm run sim:adopt', () => {
  const mutant = corpusOf(CORPUS).find(({ name }) => name === ENTRY)?.plan.mutant ?? '';

  it('keeps a plan of a defect that is fixed, which must hold from then on', () => {
    expect(adopted('is-fixed')).toBe(EXIT.clean);
    expect(readdirSync(folder)).toContain('is-fixed.json');
    expect(corpusFaults(folder)).toEqual([]);
    expect(corpusFaults(folder, mutant)).toEqual([expect.stringMatching(/^is-fixed: O5 is broken again/)]);
  });

  it('keeps a plan of a defect that is open, which must fail until it is fixed', () => {
    expect(adopted('is-open', mutant)).toBe(EXIT.clean);
    expect(readdirSync(openOf(folder))).toEqual(['is-open.json']);
    expect(corpusFaults(folder)).toEqual(['open/is-open: O5 holds now; move it to the corpus']);
    renameSync(join(openOf(folder), 'is-open.json'), join(folder, 'is-open.json'));
    expect(corpusFaults(folder)).toEqual([]);
  });

  it('refuses a name that is taken, and one that is not words with dashes', () => {
    expect(() => adopted('is-fixed')).toThrow('the corpus has a plan that is named is-fixed');
    expect(() => adopted('Is fixed')).toThrow('--name must be words with dashes between; got "Is fixed"');
  });
});
