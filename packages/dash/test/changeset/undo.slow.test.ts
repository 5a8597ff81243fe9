import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonEqual } from '#src/document/canonical.ts';
import { histories, undone } from './histories.ts';

/** `DASH_UNDO_RUNS=1000000 DASH_SEED=7 npx vitest run packages/dash/test/changeset/undo.slow.test.ts` is the long form. */
const RUNS = Number(process.env['DASH_UNDO_RUNS'] ?? 10_000);
const SEED = Number(process.env['DASH_SEED'] ?? 12_8);

it(
  `undo of ${RUNS} random histories gives the old document back, and undo of undo the new one`,
  () => {
    fc.assert(
      fc.property(histories, ({ before, after }) => {
        const old = undone(after, before).document;
        expect(jsonEqual(old, before)).toBe(true);
        expect(jsonEqual(undone(old, after).document, after)).toBe(true);
      }),
      { seed: SEED, numRuns: RUNS },
    );
  },
  RUNS * 60,
);
