import { beforeEach, describe, expect, test } from 'vitest';
import type { RateLimiter } from '#src/rate-limits/contract.ts';

const T0 = 1_767_323_045_000;

/** What every limiter does. `create` makes an empty one. */
export function rateLimiterContract(title: string, create: () => Promise<RateLimiter>): void {
  describe(`rate limiter: ${title}`, () => {
    let limiter: RateLimiter;
    beforeEach(async () => {
      limiter = await create();
    });

    const two = { rate: 2, perMs: 1000, burst: 0 };

    test('accepts as many as the window holds, slides, and tells when to come again', async () => {
      const at = (ms: number) => limiter.take('b', 's', [two], T0 + ms);
      expect((await at(0)).allowed).toBe(true);
      expect((await at(400)).allowed).toBe(true);
      expect(await at(500)).toEqual({ allowed: false, retryAfterMs: 500 });
      expect(await at(999)).toEqual({ allowed: false, retryAfterMs: 1 });
      expect((await at(1000)).allowed).toBe(true);
      expect(await at(1000)).toEqual({ allowed: false, retryAfterMs: 400 });
      expect((await at(1400)).allowed).toBe(true);
    });

    test('a burst above the rate is what the window holds', async () => {
      const limits = [{ rate: 1, perMs: 1000, burst: 3 }];
      const answers: boolean[] = [];
      for (let count = 0; count < 5; count++)
        answers.push((await limiter.take('b', 's', limits, T0)).allowed);
      expect(answers).toEqual([true, true, true, false, false]);
    });

    test('buckets and subjects are apart', async () => {
      const one = [{ rate: 1, perMs: 1000, burst: 0 }];
      for (const [bucket, subject] of [
        ['b', 's'],
        ['b', 't'],
        ['c', 's'],
      ] as const) {
        expect((await limiter.take(bucket, subject, one, T0)).allowed).toBe(true);
        expect((await limiter.take(bucket, subject, one, T0)).allowed).toBe(false);
      }
    });

    test('of several limits the strictest decides, and a refused event counts for none', async () => {
      const wide = { rate: 3, perMs: 10_000, burst: 0 };
      const at = (ms: number) => limiter.take('b', 's', [two, wide], T0 + ms);
      expect([(await at(0)).allowed, (await at(0)).allowed, (await at(0)).allowed]).toEqual([
        true,
        true,
        false,
      ]);
      expect((await at(1000)).allowed).toBe(true);
      expect(await at(1001)).toEqual({ allowed: false, retryAfterMs: 8999 });
      expect((await at(10_000)).allowed).toBe(true);
    });

    test('what a long window remembers outlives events under a short one', async () => {
      const short = { rate: 100, perMs: 1000, burst: 0 };
      const long = { rate: 2, perMs: 3_600_000, burst: 0 };
      const at = async (ms: number, limits = [short]) =>
        (await limiter.take('b', 's', limits, T0 + ms)).allowed;
      expect(await at(0, [short, long])).toBe(true);
      expect(await at(1500)).toBe(true);
      expect(await at(3000, [short, long])).toBe(false);
      expect(await at(3000)).toBe(true);
    });
  });
}
