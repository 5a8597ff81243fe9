import { ManualClock } from '@msg/foundation/clock/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import type { RateLimiter } from '#src/rate-limits/contract.ts';

const HOUR = 3_600_000;

/** What every limiter does. `create` makes an empty one, in which time passes as on the clock. */
export function rateLimiterContract(
  title: string,
  create: (clock: ManualClock) => Promise<RateLimiter>,
): void {
  describe(`rate limiter: ${title}`, () => {
    let clock: ManualClock;
    let start: number;
    let limiter: RateLimiter;
    beforeEach(async () => {
      clock = new ManualClock();
      start = clock.monotonic();
      limiter = await create(clock);
    });

    /** Lets time pass until so long after the beginning. */
    const until = (ms: number) => clock.advance(start + ms - clock.monotonic());

    const two = { rate: 2, perMs: 1000, burst: 0 };

    test('accepts as many as the window holds, slides, and tells when to come again', async () => {
      const at = async (ms: number) => {
        await until(ms);
        return limiter.take('b', 's', [two]);
      };
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
      for (let count = 0; count < 5; count++) answers.push((await limiter.take('b', 's', limits)).allowed);
      expect(answers).toEqual([true, true, true, false, false]);
    });

    test('buckets and subjects are apart', async () => {
      const one = [{ rate: 1, perMs: 1000, burst: 0 }];
      for (const [bucket, subject] of [
        ['b', 's'],
        ['b', 't'],
        ['c', 's'],
      ] as const) {
        expect((await limiter.take(bucket, subject, one)).allowed).toBe(true);
        expect((await limiter.take(bucket, subject, one)).allowed).toBe(false);
      }
    });

    test.each([
      ['back', -HOUR],
      ['forward', HOUR],
    ])('a wall clock that is set %s by an hour frees nobody and blocks nobody', async (_direction, jump) => {
      const take = async () => (await limiter.take('b', 's', [two])).allowed;
      expect([await take(), await take(), await take()]).toEqual([true, true, false]);
      clock.jump(jump);
      await until(999);
      expect(await take()).toBe(false);
      await until(1000);
      expect([await take(), await take(), await take()]).toEqual([true, true, false]);
    });

    test('of several limits the strictest decides, and a refused event counts for none', async () => {
      const wide = { rate: 3, perMs: 10_000, burst: 0 };
      const at = async (ms: number) => {
        await until(ms);
        return limiter.take('b', 's', [two, wide]);
      };
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
      const at = async (ms: number, limits = [short]) => {
        await until(ms);
        return (await limiter.take('b', 's', limits)).allowed;
      };
      expect(await at(0, [short, long])).toBe(true);
      expect(await at(1500)).toBe(true);
      expect(await at(3000, [short, long])).toBe(false);
      expect(await at(3000)).toBe(true);
    });
  });
}
