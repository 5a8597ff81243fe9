// A channel that gives its newest publication to subscribers (append streams 8.4), while a message grows in it.
import { MemoryBroker, type Policy, TimerWheel } from '@msg/engine';
import { systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import type { Encoding } from '@msg/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Harness, OPEN_POLICY } from '../harness.ts';

const policy: Policy = {
  ...OPEN_POLICY,
  subscribe: () => ({ recovery: 'cache', autoCacheRecovery: true, delta: true }),
  streamOptions: () => ({
    size: 100,
    ttlMs: 300_000,
    append: { maxBytes: 262_144, orphanMs: 30_000, windowMs: 0 },
  }),
};

let harness: Harness;

beforeEach(async () => {
  const clock = new ManualClock();
  const broker = new MemoryBroker({ clock, random: systemRandom, wheel: new TimerWheel(clock) });
  harness = await Harness.start({ policy, clock, broker, limits: { pingMs: 0 } });
  await harness.publish('feed', '"before"');
});
afterEach(() => harness.stop());

const append = (seq: number, op: { text: string } | { status: 'complete' }) =>
  harness.node.append('feed', { message: 'm', producer: 'p', seq, ops: [op] });

describe.each<Encoding>(['json', 'protobuf'])('a cache with a message that grows, %s', encoding => {
  async function subscribed(request: object = {}) {
    const client = await harness.connected({ encoding });
    const { subscribe } = await client.request({
      subscribe: { channel: 'feed', ...request },
    });
    const { offset, recovered, publications } = subscribe ?? {};
    const listed = (publications ?? []).map(({ data }) => JSON.parse(Buffer.from(data.bytes).toString()));
    return { client, told: [offset, recovered, listed] };
  }
  const pushed = async (client: Awaited<ReturnType<typeof subscribed>>['client']) => {
    const { pub } = await client.push();
    return [pub?.offset, pub?.delta, JSON.parse(Buffer.from(pub?.data.bytes ?? []).toString())];
  };
  const document = (status: string, text: string) => ({ id: 'm', status, text });

  it('a subscriber without a position joins at the text so far, and gets what follows it', async () => {
    await append(1, { text: 'so ' });
    await append(2, { text: 'far' });
    const { client, told } = await subscribed();
    expect(told).toEqual([2, false, []]);
    expect(await pushed(client)).toEqual([3, false, document('streaming', 'so far')]);
  });

  it('a subscriber that comes back gets the newest state as the recovered publication', async () => {
    await append(1, { text: 'so far' });
    const { epoch } = await harness.node.history('feed', { limit: 0 });
    const { told } = await subscribed({ recover: true, offset: 1, epoch });
    expect(told).toEqual([1, true, [document('streaming', 'so far')]]);
  });

  it('after its end it is the newest publication of all', async () => {
    await append(1, { text: 'so far' });
    await append(2, { status: 'complete' });
    expect((await subscribed()).told).toEqual([0, true, [document('complete', 'so far')]]);
  });
});
