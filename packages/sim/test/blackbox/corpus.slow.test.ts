import { describe, expect, it } from 'vitest';
import { CORPUS, corpusOf, replay } from '../../src/cli/corpus.ts';

describe('a plan of the corpus', () => {
  it.each(corpusOf(CORPUS).map(({ name, plan }) => [name, plan] as const))(
    '%s breaks its promise with the bug that it found, if that was planted, and none without',
    (_, plan) => {
      if (plan.mutant !== undefined) {
        const found = replay(plan, plan.mutant);
        expect(found?.violations.map(({ oracle }) => oracle)).toContain(plan.oracle);
      }
      const fixed = replay(plan);
      expect([fixed?.fault, fixed?.violations]).toEqual([undefined, []]);
    },
    120_000,
  );
});
