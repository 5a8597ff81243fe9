import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { changed, FORMAL_MUTANTS } from '../../src/formal/mutants.ts';
import { brokenInvariants, inFolder, MODEL, typecheck } from '../../src/formal/quint.ts';

const SEED = Number(process.env['MSG_SEED'] ?? 1);
/** Of which every planted bug is found among the first. */
const RUNS = { samples: 1000, steps: 40, seed: SEED };

describe('the model of recovery', () => {
  it('has at most 200 lines', () => {
    expect(readFileSync(MODEL, 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(200);
  });

  it('keeps what it promises in 300 runs', () => {
    expect(typecheck()).toEqual({ passed: true, output: '' });
    expect(brokenInvariants(MODEL, { ...RUNS, samples: 300 })).toEqual([]);
  }, 300_000);

  it.each(FORMAL_MUTANTS)(
    'breaks a promise with the bug: $name',
    ({ model }) => {
      const broken = inFolder(folder => {
        const file = join(folder, 'recovery.qnt');
        writeFileSync(file, changed(readFileSync(MODEL, 'utf8'), model));
        return brokenInvariants(file, RUNS);
      });
      expect(broken).not.toEqual([]);
    },
    300_000,
  );
});
