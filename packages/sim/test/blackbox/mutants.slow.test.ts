import { describe, expect, it } from 'vitest';
import { hunt } from '../../src/cli/mutants.ts';
import { MUTANTS } from '../../src/mutants/mutants.ts';

/** Seeds within which each must be found. */
const SEEDS = 24;

describe('a planted bug is found by an oracle that fits', () => {
  it.each(MUTANTS.map(mutant => [mutant.name, mutant] as const))(
    '%s',
    (_, mutant) => {
      expect(hunt(mutant, SEEDS).seed).toBeDefined();
    },
    300_000,
  );
});
