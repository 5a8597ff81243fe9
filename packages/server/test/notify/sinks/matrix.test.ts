import { type Random, systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { eventually } from '@msg/testkit';
import { describe, expect, test } from 'vitest';
import type { DeadLetterQueue } from '#src/notify/dead-letters/contract.ts';
import { settle } from '../../support/settle.ts';
import { type Backend, type BackendName, backend, type Condition } from './support/backends.ts';
import { delivering, outcomeOf } from './support/delivering.ts';

const MESSAGE = { subject: 'Order 7', body: 'paid', metadata: { order: '7' } };
const RETRY = { maxAttempts: 4, baseBackoff: 1000, maxBackoff: 3000, jitterFraction: 0.2 };
/** Bounds of the waits before attempts 2, 3 and 4. */
const BOUNDS = [
  [800, 1200],
  [1600, 2400],
  [2400, 3600],
] as const;
const SINKS: readonly BackendName[] = ['email', 'slack', 'webhook', 'webpush'];

/** Draws that keep to the edges and the middle. */
const RANDOMS: readonly Random[] = [0, 0.5, 0.999999].map(fraction => ({
  ...systemRandom,
  fraction: () => fraction,
}));

/** A clock that tells what was waited for. */
class WaitingClock extends ManualClock {
  readonly waits: number[] = [];

  override setTimeout(callback: () => void, ms: number): object {
    this.waits.push(ms);
    return super.setTimeout(callback, ms);
  }
}

interface Setting {
  readonly backend: Backend;
  readonly clock: WaitingClock;
  readonly parts: ReturnType<typeof delivering>;
  readonly caller: AbortController;
  /** Starts the delivery and drives both clocks until it has ended. */
  deliver(recipient?: unknown, step?: (waits: number) => void): Promise<unknown>;
}

async function set(
  name: BackendName,
  condition: Condition,
  { random = systemRandom, deadLetters }: { random?: Random; deadLetters?: DeadLetterQueue } = {},
): Promise<Setting> {
  const attemptClock = new ManualClock();
  const clock = new WaitingClock();
  const destination = await backend(name, condition, attemptClock);
  const parts = delivering({
    retry: RETRY,
    clock,
    random,
    ...(deadLetters === undefined ? {} : { deadLetters }),
  });
  parts.sinks.register(destination.sink);
  const caller = new AbortController();
  return {
    backend: destination,
    clock,
    parts,
    caller,
    async deliver(recipient = destination.recipient, step = () => {}) {
      let over = false;
      const context = { channel: 'public:shop.order.7', signal: caller.signal };
      const outcome = outcomeOf(parts.sinks.require(name).deliver(recipient, MESSAGE, context)).finally(
        () => {
          over = true;
        },
      );
      while (!over) {
        await settle();
        if (clock.pending > 0) {
          step(clock.waits.length);
          await clock.advance(clock.waits.at(-1) ?? 0);
        } else if (condition === 'never answers') {
          step(clock.waits.length);
          await attemptClock.advance(30_000);
        }
      }
      await eventually('no time limit is left behind', () => attemptClock.pending === 0);
      return outcome;
    },
  };
}

const parkedOf = ({ parts }: Setting, name: BackendName) => parts.queue.list(name, 0);

describe.each(SINKS)('%s', name => {
  test('takes it: one attempt, nothing parked', async () => {
    const setting = await set(name, 'takes it');
    expect(await setting.deliver()).toBe('sink');
    expect(setting.clock.waits).toEqual([]);
    expect(setting.parts.events).toEqual([`${name} ok`]);
    expect(setting.backend.taken()).toBe(1);
    expect(await parkedOf(setting, name)).toEqual([]);
  });

  test.each<[Condition]>([
    ['is not there'],
    ['cuts the connection'],
    ['never answers'],
    ['is busy'],
    ['is throttling'],
  ])('%s: every attempt is made, waits are within bounds, then it is parked', async condition => {
    for (const random of RANDOMS) {
      const setting = await set(name, condition, { random });
      expect(await setting.deliver()).toBe('dlq');
      expect(setting.clock.waits).toHaveLength(BOUNDS.length);
      for (const [index, [least, most]] of BOUNDS.entries()) {
        expect(setting.clock.waits[index]).toBeGreaterThanOrEqual(least);
        expect(setting.clock.waits[index]).toBeLessThanOrEqual(most);
      }
      expect(setting.parts.events.filter(event => event === `${name} failed`)).toHaveLength(4);
      if (condition !== 'is not there' && condition !== 'never answers')
        expect(setting.backend.arrivals()).toBe(4);
      expect(setting.backend.taken()).toBe(0);
      expect(await parkedOf(setting, name)).toEqual([
        {
          id: expect.any(String),
          sink: name,
          channel: 'public:shop.order.7',
          recipient: setting.backend.recipient,
          message: MESSAGE,
          lastError: expect.stringMatching(/^(smtp|webhook|slack webhook|push service) /),
          attempts: 4,
          parkedAt: expect.any(Number),
        },
      ]);
    }
  });

  test.each<[Condition]>([['refuses for good'], ['sends elsewhere']])(
    '%s: one attempt, then it is parked',
    async condition => {
      const setting = await set(name, condition);
      expect(await setting.deliver()).toBe('dlq');
      expect(setting.clock.waits).toEqual([]);
      expect(setting.backend.arrivals()).toBe(1);
      expect(await parkedOf(setting, name)).toMatchObject([{ attempts: 1 }]);
    },
  );

  test.each<[Condition]>([['cuts the connection'], ['is busy'], ['is throttling']])(
    '%s, then takes it: delivered once, nothing parked',
    async condition => {
      const setting = await set(name, condition);
      const outcome = await setting.deliver(undefined, waits => {
        if (waits === 2) setting.backend.become('takes it');
      });
      expect(outcome).toBe('sink');
      expect(setting.clock.waits).toHaveLength(2);
      expect(setting.backend.taken()).toBe(1);
      expect(await parkedOf(setting, name)).toEqual([]);
    },
  );

  test('is busy, then refuses for good: the rest of the budget is not used', async () => {
    const setting = await set(name, 'is busy');
    await setting.deliver(undefined, () => setting.backend.become('refuses for good'));
    expect(setting.clock.waits).toHaveLength(1);
    expect(await parkedOf(setting, name)).toMatchObject([{ attempts: 2 }]);
  });

  test('is busy, and the caller gives up while waiting: what was attempted is parked', async () => {
    const setting = await set(name, 'is busy');
    const outcome = await setting.deliver(undefined, waits => {
      if (waits === 2) setting.caller.abort();
    });
    expect(outcome).toBe('dlq');
    expect(await parkedOf(setting, name)).toMatchObject([{ attempts: 2 }]);
    expect(setting.clock.pending).toBe(0);
  });

  test('never answers, and the caller gives up during the send: parked with that attempt', async () => {
    const setting = await set(name, 'never answers');
    expect(await setting.deliver(undefined, () => setting.caller.abort())).toBe('dlq');
    expect(await parkedOf(setting, name)).toMatchObject([
      { attempts: 1, lastError: 'the delivery was cancelled' },
    ]);
  });

  test('is busy, and the service ends: parked without waiting', async () => {
    const setting = await set(name, 'is busy');
    let stopped: Promise<void> | undefined;
    const outcome = await setting.deliver(undefined, () => {
      stopped ??= setting.parts.outbound.stop(4000);
    });
    await stopped;
    expect(outcome).toBe('dlq');
    expect(await parkedOf(setting, name)).toMatchObject([{ attempts: 1 }]);
  });

  test('a bad recipient: refused, where recipients count, and nothing is sent or parked', async () => {
    const setting = await set(name, 'takes it');
    const outcome = await setting.deliver(setting.backend.badRecipient);
    expect(outcome).toBe(name === 'slack' ? 'sink' : 'MSG_INVALID_ARGUMENT');
    expect(setting.backend.taken()).toBe(name === 'slack' ? 1 : 0);
    expect(await parkedOf(setting, name)).toEqual([]);
  });

  test.each<[Condition]>([['is busy'], ['refuses for good']])(
    '%s, and the dead-letter queue fails: the caller learns it',
    async condition => {
      const down = () => Promise.reject(new Error('down'));
      const deadLetters = { push: down, list: down, sizes: down, discard: down, claim: down };
      const setting = await set(name, condition, { deadLetters });
      expect(await setting.deliver()).toBe('MSG_SINK_DLQ_OVERFLOW');
    },
  );

  test.each<[Condition, boolean]>([
    ['takes it', true],
    ['is busy', false],
    ['refuses for good', false],
  ])('replay when it %s', async (condition, delivered) => {
    const setting = await set(name, 'refuses for good');
    await setting.deliver();
    const [letter] = await parkedOf(setting, name);
    setting.backend.become(condition);
    let over = false;
    const replay = setting.parts.deadLetters.replay(letter?.id ?? '').finally(() => {
      over = true;
    });
    while (!over) {
      await settle();
      // The longest timer is the 20 s the answer waits; waits between attempts are shorter.
      if (setting.clock.waits.some(ms => ms < 20_000)) await setting.clock.advance(3600);
    }
    await replay;
    await expect.poll(() => setting.parts.outbound.size).toBe(0);
    const attempts = condition === 'is busy' ? 5 : 2;
    expect(await parkedOf(setting, name)).toEqual(
      delivered
        ? []
        : [
            {
              ...letter,
              attempts,
              lastError: expect.stringMatching(condition === 'is busy' ? /(503|451)/ : /(404|400|550)/),
            },
          ],
    );
    expect(setting.backend.taken()).toBe(delivered ? 1 : 0);
  });
});
