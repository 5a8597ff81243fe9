import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MemoryRateLimiter } from '#src/rate-limits/memory.ts';
import { rateLimiterContract } from '../support/store-contracts.ts';

rateLimiterContract('memory', async clock => new MemoryRateLimiter(clock));

test('agrees with counting, for any sequence of events', async () => {
  const gap = fc.record({ ms: fc.integer({ min: 0, max: 400 }), count: fc.integer({ min: 1, max: 4 }) });
  const gaps = fc.array(gap, { maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(gaps, fc.integer({ min: 1, max: 5 }), async (steps, rate) => {
      let now = 1_000_000;
      const limiter = new MemoryRateLimiter({ monotonic: () => now });
      const events: number[] = [];
      for (const { ms, count } of steps) {
        now += ms;
        const free = rate - events.filter(time => time > now - 1000).length;
        const decision = await limiter.take('b', 's', [{ rate, perMs: 1000, burst: 0 }], count);
        expect(decision.accepted).toBe(Math.min(count, free));
        for (let event = 0; event < decision.accepted; event++) events.push(now);
      }
    }),
  );
});
