import { systemRandom } from '@msg/foundation/clock';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backoff, retryPolicy } from '#src/notify/sinks/retry-policy.ts';
import { scriptedRandom } from './support/delivering.ts';

const DEFAULTS = { maxAttempts: 5, baseBackoff: 1000, maxBackoff: 30_000, jitterFraction: 0.2 };

test.each([
  ['nothing is set', {}, DEFAULTS],
  ['0 means unset', { maxAttempts: 0, baseBackoff: 0, maxBackoff: 0, jitterFraction: 0 }, DEFAULTS],
  [
    'a cap below the base is raised',
    { baseBackoff: 60_000 },
    { ...DEFAULTS, baseBackoff: 60_000, maxBackoff: 60_000 },
  ],
  ['jitter is at most 1', { jitterFraction: 7 }, { ...DEFAULTS, jitterFraction: 1 }],
  ['jitter below 0 is none', { jitterFraction: -1 }, { ...DEFAULTS, jitterFraction: 0 }],
  ['one attempt is no retry', { maxAttempts: 1 }, { ...DEFAULTS, maxAttempts: 1 }],
])('policy: %s', (_, options, policy) => {
  expect(retryPolicy(options)).toEqual(policy);
});

test('a sink replaces single settings and inherits the others', () => {
  const options = {
    maxAttempts: 3,
    baseBackoff: 50,
    perSink: { slow: { baseBackoff: 90_000, maxAttempts: 0 }, toString: { maxAttempts: 9 } },
  };
  expect(retryPolicy(options, 'slow')).toEqual({
    ...DEFAULTS,
    maxAttempts: 3,
    baseBackoff: 90_000,
    maxBackoff: 90_000,
  });
  expect(retryPolicy(options, 'other').baseBackoff).toBe(50);
  expect(retryPolicy({ perSink: {} }, 'toString').maxAttempts).toBe(5);
});

test('waits double from the base up to the cap', () => {
  const policy = retryPolicy({ jitterFraction: -1, maxBackoff: 5000 });
  expect([2, 3, 4, 5, 6, 1000].map(n => backoff(policy, n, systemRandom))).toEqual([
    1000, 2000, 4000, 5000, 5000, 5000,
  ]);
});

test('jitter spreads a wait evenly around it, the capped one too', () => {
  const policy = retryPolicy({});
  const random = scriptedRandom(0, 0.5, 0.75);
  expect([2, 2, 2].map(n => backoff(policy, n, random))).toEqual([800, 1000, 1100]);
  fc.assert(
    fc.property(
      fc.record({
        baseBackoff: fc.integer({ min: 1, max: 100_000 }),
        maxBackoff: fc.integer({ min: 1, max: 100_000 }),
        jitterFraction: fc.double({ min: 0.01, max: 2, noNaN: true }),
      }),
      fc.integer({ min: 2, max: 100 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (options, n, fraction) => {
        const policy = retryPolicy(options);
        const plain = Math.min(policy.maxBackoff, policy.baseBackoff * 2 ** (n - 2));
        const wait = backoff(policy, n, scriptedRandom(fraction));
        expect(wait).toBeGreaterThanOrEqual(plain * (1 - policy.jitterFraction) - 1e-6);
        expect(wait).toBeLessThanOrEqual(plain * (1 + policy.jitterFraction) + 1e-6);
      },
    ),
  );
});
