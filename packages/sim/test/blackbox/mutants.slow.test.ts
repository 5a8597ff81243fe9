import { describe, expect, it } from 'vitest';
import { hunt } from '../../src/cli/mutants.ts';
import { MUTANTS } from '../../src/mutants/mutants.ts';

/** The others are in the long form alone: `npm run sim -- mutants`. */
const QUICK = MUTANTS.filter(({ isSlow }) => isSlow !== true);

describe('a planted bug is found by an oracle that fits', () => {
  it.each(QUICK.map(mutant => [mutant.name, mutant] as const))(
    '%s',
    (_, mutant) => {
      const { seed, fault } = hunt(mutant);
      expect(fault).toBeUndefined();
      expect(seed).toBeDefined();
    },
    900_000,
  );
});
