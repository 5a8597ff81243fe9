import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MemoryRateLimiter } from '#src/rate-limits/memory.ts';
import { rateLimiterContract } from '../support/store-contracts.ts';

rateLimiterContract('memory', async clock => new MemoryRateLimiter(clock));

test('agrees with counting, for any sequence of events', async () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(gaps, fc.integer({ min: 1, max: 5 }), async (steps, rate) => {
      let now = 1_000_000;
      const limiter = new MemoryRateLimiter({ monotonic: () => now });
      const accepted: number[] = [];
      for (const step of steps) {
        now += step;
        const expected = accepted.filter(time => time > now - 1000).length < rate;
        const { allowed } = await limiter.take('b', 's', [{ rate, perMs: 1000, burst: 0 }]);
        expect(allowed).toBe(expected);
        if (allowed) accepted.push(now);
      }
    }),
  );
});
