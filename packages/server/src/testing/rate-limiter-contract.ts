import assert from 'node:assert/strict';
import type { ContractCase } from '@msg/engine/testing';
import type { ManualClock } from '@msg/foundation/clock/testing';
import type { RateLimiter } from '../rate-limits/contract.ts';
import type { TimedSubject } from './timed-subject.ts';

const HOUR = 3_600_000;

const two = { rate: 2, perMs: 1000, burst: 0 };

/** A limiter, and a function that moves its clock to a time after the start. */
interface Rig {
  readonly limiter: RateLimiter;
  readonly clock: ManualClock;
  readonly until: (ms: number) => Promise<void>;
}

function promise(name: string, body: (rig: Rig) => Promise<void>): ContractCase<TimedSubject<RateLimiter>> {
  return {
    name,
    holds({ store: limiter, clock }) {
      const start = clock.monotonic();
      return body({ limiter, clock, until: ms => clock.advance(start + ms - clock.monotonic()) });
    },
  };
}

/** What every limiter does. The subject's store is empty, and time passes in it as on its clock. */
export const RATE_LIMITER_CONTRACT: readonly ContractCase<TimedSubject<RateLimiter>>[] = [
  promise(
    'accepts as many as the window holds, slides, and tells when to come again',
    async ({ limiter, until }) => {
      const at = async (ms: number) => {
        await until(ms);
        return limiter.take('b', 's', [two], 1);
      };
      assert.equal((await at(0)).accepted, 1);
      assert.equal((await at(400)).accepted, 1);
      assert.deepEqual(await at(500), { accepted: 0, retryAfterMs: 500 });
      assert.deepEqual(await at(999), { accepted: 0, retryAfterMs: 1 });
      assert.equal((await at(1000)).accepted, 1);
      assert.deepEqual(await at(1000), { accepted: 0, retryAfterMs: 400 });
      assert.equal((await at(1400)).accepted, 1);
    },
  ),

  promise('a burst above the rate is what the window holds', async ({ limiter }) => {
    const limits = [{ rate: 1, perMs: 1000, burst: 3 }];
    const answers: number[] = [];
    for (let count = 0; count < 5; count++) answers.push((await limiter.take('b', 's', limits, 1)).accepted);
    assert.deepEqual(answers, [1, 1, 1, 0, 0]);
  }),

  promise(
    'accepts of several events as many as the window still holds, in one step',
    async ({ limiter, until }) => {
      const take = async (ms: number, count: number, limits = [{ rate: 5, perMs: 1000, burst: 0 }]) => {
        await until(ms);
        return limiter.take('b', 's', limits, count);
      };
      assert.deepEqual(await take(0, 3), { accepted: 3, retryAfterMs: 0 });
      assert.deepEqual(await take(400, 4), { accepted: 2, retryAfterMs: 600 });
      assert.deepEqual(await take(400, 1000), { accepted: 0, retryAfterMs: 600 });
      assert.deepEqual(await take(1000, 4), { accepted: 3, retryAfterMs: 400 });
      const both = [
        { rate: 100, perMs: 1000, burst: 0 },
        { rate: 7, perMs: 10_000, burst: 0 },
      ];
      assert.deepEqual(await limiter.take('b', 'other', both, 9), { accepted: 7, retryAfterMs: 10_000 });
    },
  ),

  promise('buckets and subjects are apart', async ({ limiter }) => {
    const limits = [{ rate: 1, perMs: 1000, burst: 0 }];
    for (const [bucket, subject] of [
      ['b', 's'],
      ['b', 't'],
      ['c', 's'],
    ] as const) {
      assert.equal((await limiter.take(bucket, subject, limits, 1)).accepted, 1);
      assert.equal((await limiter.take(bucket, subject, limits, 1)).accepted, 0);
    }
  }),

  ...(
    [
      ['back', -HOUR],
      ['forward', HOUR],
    ] as const
  ).map(([direction, jump]) =>
    promise(
      `a wall clock that is set ${direction} by an hour changes no decision`,
      async ({ limiter, clock, until }) => {
        const take = async () => (await limiter.take('b', 's', [two], 1)).accepted === 1;
        assert.deepEqual([await take(), await take(), await take()], [true, true, false]);
        clock.jump(jump);
        await until(999);
        assert.equal(await take(), false);
        await until(1000);
        assert.deepEqual([await take(), await take(), await take()], [true, true, false]);
      },
    ),
  ),

  promise(
    'of several limits the strictest decides, and a refused event counts for none',
    async ({ limiter, until }) => {
      const wide = { rate: 3, perMs: 10_000, burst: 0 };
      const at = async (ms: number) => {
        await until(ms);
        return limiter.take('b', 's', [two, wide], 1);
      };
      assert.deepEqual([(await at(0)).accepted, (await at(0)).accepted, (await at(0)).accepted], [1, 1, 0]);
      assert.equal((await at(1000)).accepted, 1);
      assert.deepEqual(await at(1001), { accepted: 0, retryAfterMs: 8999 });
      assert.equal((await at(10_000)).accepted, 1);
    },
  ),

  promise('what a long window remembers outlives events under a short one', async ({ limiter, until }) => {
    const short = { rate: 100, perMs: 1000, burst: 0 };
    const long = { rate: 2, perMs: 3_600_000, burst: 0 };
    const at = async (ms: number, limits = [short]) => {
      await until(ms);
      return (await limiter.take('b', 's', limits, 1)).accepted === 1;
    };
    assert.equal(await at(0, [short, long]), true);
    assert.equal(await at(1500), true);
    assert.equal(await at(3000, [short, long]), false);
    assert.equal(await at(3000), true);
  }),
];
