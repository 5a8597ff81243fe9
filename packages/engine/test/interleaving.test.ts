import {
  type Broker,
  type HistoryResult,
  MemoryBroker,
  type Policy,
  type PublishResult,
  TimerWheel,
} from '@msg/engine';
import { systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import type { Encoding } from '@msg/protocol';
import { eventually } from '@msg/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { Harness, OPEN_POLICY } from './harness.ts';

let harness: Harness;
afterEach(() => harness.stop());

/** A memory broker whose history reads can be held back, and whose operations can be made to fail. */
class SlowBroker extends MemoryBroker {
  #held: (() => void)[] = [];
  holding = false;
  failing: 'subscribe' | 'history' | 'publish' | null = null;

  get held(): number {
    return this.#held.length;
  }

  release(): void {
    this.holding = false;
    for (const open of this.#held.splice(0)) open();
  }

  override async subscribe(): Promise<void> {
    if (this.failing === 'subscribe') throw new Error('broker gone');
  }

  override async history(...args: Parameters<Broker['history']>): Promise<HistoryResult> {
    if (this.failing === 'history') throw new Error('broker gone');
    const result = await super.history(...args);
    if (this.holding) await new Promise<void>(resolve => this.#held.push(resolve));
    return result;
  }

  override async publish(...args: Parameters<Broker['publish']>): Promise<PublishResult> {
    if (this.failing === 'publish') throw new Error('broker gone');
    return super.publish(...args);
  }
}

async function start(policy: Partial<Policy> = {}, limits = {}): Promise<SlowBroker> {
  const clock = new ManualClock();
  const broker = new SlowBroker({ clock, random: systemRandom, wheel: new TimerWheel(clock) });
  harness = await Harness.start({ broker, policy: { ...OPEN_POLICY, ...policy }, limits });
  return broker;
}

describe.each<Encoding>(['json', 'protobuf'])('publications during a subscribe, %s', encoding => {
  it.each([true, false])('are neither lost nor doubled (recovering: %s)', async recovering => {
    const broker = await start();
    await harness.publish('news', '1');
    const { epoch } = await harness.node.history('news', { limit: 0 });
    await harness.publish('news', '2');
    const client = await harness.connected({ encoding });
    broker.holding = true;
    client.send({ subscribe: { channel: 'news', recover: recovering, offset: recovering ? 1 : 0, epoch } });
    await eventually('the read is held', () => broker.held === 1);
    await Promise.all([3, 4, 5, 6, 7].map(n => harness.publish('news', String(n))));
    broker.release();
    const { subscribe } = await client.take(({ id }) => id === 2);
    expect(subscribe?.recovered).toBe(recovering);
    expect(subscribe?.offset).toBe(recovering ? 1 : 2);
    await harness.publish('news', '8');
    const seen = subscribe?.publications.map(({ offset }) => offset) ?? [];
    while (seen.at(-1) !== 8) seen.push((await client.push()).pub?.offset ?? -1);
    expect(seen).toEqual(recovering ? [2, 3, 4, 5, 6, 7, 8] : [3, 4, 5, 6, 7, 8]);
  });

  it('of a channel without history come after the reply', async () => {
    let open: () => void = () => {};
    const gate = new Promise<void>(resolve => {
      open = resolve;
    });
    await start({
      subscribe: () => ({ emitPresence: true }),
      streamOptions: () => ({ size: 0, ttlMs: 0 }),
    });
    harness.node.presence.add = () => gate;
    const client = await harness.connected({ encoding });
    client.send({ subscribe: { channel: 'news' } });
    await eventually('it is registered', () => harness.node.stats().subscriptions === 1);
    await harness.publish('news', '1');
    open();
    expect((await client.take(() => true)).subscribe).not.toBeNull();
    expect((await client.push()).pub?.offset).toBe(0);
  });

  it('more than the buffer holds end it with 3010', async () => {
    const broker = await start({}, { subscribeBuffer: 3 });
    const client = await harness.connected({ encoding });
    broker.holding = true;
    client.send({ subscribe: { channel: 'news' } });
    await eventually('the read is held', () => broker.held === 1);
    for (let i = 0; i < 4; i++) await harness.publish('news', '1');
    broker.release();
    expect(await client.closed()).toEqual({ code: 3010, reason: 'insufficient state' });
  });
});

describe('a broker that fails', () => {
  it.each(['subscribe', 'history'] as const)(
    'in %s ends the connection with 3004 and leaves nothing',
    async failing => {
      const broker = await start();
      broker.failing = failing;
      const client = await harness.connected();
      client.send({ subscribe: { channel: 'news' } });
      expect(await client.closed()).toEqual({ code: 3004, reason: 'internal server error' });
      await eventually('nothing is left', () => harness.node.stats().subscriptions === 0);
      broker.failing = null;
      const again = await harness.connected();
      expect((await again.request({ subscribe: { channel: 'news' } })).subscribe).not.toBeNull();
    },
  );

  it('in a client publish answers error 100, temporary', async () => {
    const broker = await start();
    broker.failing = 'publish';
    const client = await harness.connected();
    const { error } = await client.request({ publish: { channel: 'news', data: Buffer.from('1') } });
    expect(error).toMatchObject({ code: 100, temporary: true });
  });
});

describe('storms', () => {
  it('a thousand rapid subscribes and unsubscribes leave the right final state', async () => {
    await start({ subscribe: () => ({ recovery: 'stream', emitPresence: true, emitJoinLeave: true }) });
    const client = await harness.connected();
    for (let i = 0; i < 1000; i++) {
      client.send({ subscribe: { channel: 'a' } });
      client.send({ unsubscribe: { channel: 'a' } });
    }
    client.send({ subscribe: { channel: 'a' } });
    await client.take(({ id }) => id === 2002);
    expect(harness.node.stats()).toMatchObject({ subscriptions: 1, channels: 1 });
    expect((await harness.node.presence.get('a')).size).toBe(1);
    await harness.publish('a', '1');
    expect((await client.push()).pub?.offset).toBe(1);
  });

  it('of parallel subscribes for one channel give one success and 105 for the rest', async () => {
    await start();
    const client = await harness.connected();
    const ids = client.sendBatch(Array.from({ length: 20 }, () => ({ subscribe: { channel: 'a' } })));
    const replies = await Promise.all(ids.map(id => client.take(reply => reply.id === id)));
    expect(replies.filter(({ subscribe }) => subscribe !== null)).toHaveLength(1);
    expect(replies.filter(({ error }) => error?.code === 105)).toHaveLength(19);
  });

  it('of random commands, broadcasts and server actions neither deadlock nor leak', async () => {
    await start({
      subscribe: async () => ({
        recovery: 'stream',
        emitPresence: true,
        emitJoinLeave: true,
        pushJoinLeave: true,
      }),
      presence: () => {},
    });
    const client = await harness.connected();
    let seed = 7;
    const random = (below: number): number => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return Math.floor((seed / 2 ** 32) * below);
    };
    const expected: number[] = [];
    for (let i = 0; i < 2000; i++) {
      const channel = `c${random(5)}`;
      const commands = [
        { subscribe: { channel, joinLeave: true } },
        { unsubscribe: { channel } },
        { publish: { channel, data: Buffer.from('1') } },
        { presence: { channel } },
        { history: { channel, limit: 5 } },
      ];
      expected.push(client.send(commands[random(commands.length)] ?? {}));
      if (random(10) === 0) void harness.publish(channel, '2');
      if (random(40) === 0)
        void harness.node.unsubscribeAll(channel, { code: 2500, reason: 'insufficient state' });
    }
    for (const id of expected) await client.take(reply => reply.id === id);
    expect(harness.node.stats().connections).toBe(1);
    for (let i = 0; i < 5; i++) await client.request({ unsubscribe: { channel: `c${i}` } });
    expect(harness.node.stats()).toMatchObject({ subscriptions: 0, channels: 0 });
    for (let i = 0; i < 5; i++) expect((await harness.node.presence.get(`c${i}`)).size).toBe(0);
  });
});

describe('server publishes', () => {
  it('are suppressed by a repeated idempotency key or a stale version, with one delivery', async () => {
    await start();
    const client = await harness.connected();
    await client.request({ subscribe: { channel: 'a' } });
    const data = Buffer.from('1');
    const first = await harness.node.publish('a', data, { idempotencyKey: 'k' });
    expect(await harness.node.publish('a', data, { idempotencyKey: 'k' })).toEqual({
      ...first,
      suppressed: true,
    });
    await harness.node.publish('a', data, { version: 2 });
    expect((await harness.node.publish('a', data, { version: 1 })).suppressed).toBe(true);
    await harness.publish('a', '"last"');
    for (const offset of [1, 2, 3]) expect((await client.push()).pub?.offset).toBe(offset);
    expect(client.received).toEqual([]);
  });

  it('wait for more with a write delay, and then leave in one frame', async () => {
    harness = await Harness.start({ writeDelayMs: 50 });
    const client = await harness.open();
    client.send({ connect: {} });
    await eventually('the reply is queued', () => harness.clock.pending > 1);
    await harness.clock.advance(50);
    await client.take(({ id }) => id === 1);
    client.send({ subscribe: { channel: 'a' } });
    await eventually('it is subscribed', () => harness.node.subscriberCount('a') === 1);
    await harness.clock.advance(50);
    await client.take(({ id }) => id === 2);
    let frames = 0;
    client.websocket.on('message', () => frames++);
    for (let i = 0; i < 10; i++) {
      await harness.publish('a', String(i));
      await new Promise(resolve => setImmediate(resolve));
    }
    expect(frames).toBe(0);
    await harness.clock.advance(50);
    for (let i = 1; i <= 10; i++) expect((await client.push()).pub?.offset).toBe(i);
    expect(frames).toBe(1);
  });
});
