import { describe, expect, it } from 'vitest';
import { huntRedis } from '../../src/cli/redis.ts';
import { REDIS_MUTANTS } from '../../src/mutants/redis.ts';

/** The amount of CI. */
const CALLS = 50_000;

describe('a bug planted in the simulated Redis is found by the comparison with a real server', () => {
  it.each(REDIS_MUTANTS.map(({ name }) => name))(
    '%s',
    name => {
      expect(huntRedis(name, CALLS, 1)).toBeLessThan(CALLS + 100);
    },
    300_000,
  );
});
