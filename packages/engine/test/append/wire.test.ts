import { MemoryBroker, type Policy, TimerWheel } from '@msg/engine';
import { systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import type { Encoding } from '@msg/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Harness, OPEN_POLICY } from '../harness.ts';

const NAME = 'private:app.chat.7-answers.r-1';
const append = { maxBytes: 262_144, orphanMs: 30_000, windowMs: 0 };
const policy: Policy = {
  ...OPEN_POLICY,
  subscribe: () => ({ recovery: 'stream', delta: true, compaction: true }),
  streamOptions: () => ({ size: 100, ttlMs: 300_000, append }),
};

let harness: Harness;
beforeEach(async () => {
  const clock = new ManualClock();
  const broker = new MemoryBroker({ clock, random: systemRandom, wheel: new TimerWheel(clock) });
  harness = await Harness.start({ policy, clock, broker, limits: { pingMs: 0 } });
});
afterEach(() => harness.stop());

/** What a delta reader is sent, frame included, for a token of four bytes on 100,000. `most`: append streams, 14. */
const ROWS: readonly [who: string, encoding: Encoding, resolvesIds: boolean, bytes: number, most: number][] =
  [
    ['JSON, with a channel id', 'json', true, 88, 110],
    ['Protobuf, of a client that resolves ids', 'protobuf', true, 40, 60],
    ['Protobuf, of a client that does not', 'protobuf', false, 70, 50 + NAME.length],
  ];

it.each(ROWS)('a token in %s', async (_who, encoding, resolvesIds, bytes, most) => {
  const client = await harness.connected({ encoding });
  const flag = resolvesIds ? { flag: 1 } : {};
  await client.request({ subscribe: { channel: NAME, delta: 'fossil', ...flag } });
  const say = async (seq: number, text: string): Promise<number> => {
    const before = harness.node.stats().bytesOut;
    await harness.node.append(NAME, { message: 'm', producer: 'p', seq, ops: [{ text }] });
    await client.push();
    return harness.node.stats().bytesOut - before;
  };
  await say(1, 'x'.repeat(100_000));
  const seen = [await say(2, 'tok1'), await say(3, 'tok2'), await say(4, 'tok3')];
  expect(Math.max(...seen)).toBe(bytes);
  expect(bytes).toBeLessThanOrEqual(most);
});
