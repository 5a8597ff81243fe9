import { MsgError } from '@msg/core';
import { MemoryBroker, RealtimeNode, systemRandom, TimerWheel } from '@msg/engine';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ChannelManager } from '#src/channels/manager.ts';
import { MemoryChannelRegistry } from '#src/channels/registry/memory.ts';
import { ChannelOptionRules } from '#src/realtime/channel-options.ts';
import { Listeners } from '#src/realtime/listeners.ts';
import { Publisher } from '#src/realtime/publisher.ts';
import { FakeClock } from '../support/fake-clock.ts';

const NAME = 'public:a.b';
const DATA = Buffer.from('1');

/** Answers at once, or with promises as a shared store does. */
class Registry extends MemoryChannelRegistry {
  readonly #later: boolean;

  constructor(later: boolean) {
    super();
    this.#later = later;
  }

  override get(...args: Parameters<MemoryChannelRegistry['get']>): ReturnType<MemoryChannelRegistry['get']> {
    const found = super.get(...args);
    return this.#later ? Promise.resolve(found) : found;
  }

  override touch(
    ...args: Parameters<MemoryChannelRegistry['touch']>
  ): ReturnType<MemoryChannelRegistry['touch']> {
    const found = super.touch(...args);
    return this.#later ? Promise.resolve(found) : found;
  }
}

class Broker extends MemoryBroker {
  failure: Error | undefined;
  later = false;

  override publish(...args: Parameters<MemoryBroker['publish']>): ReturnType<MemoryBroker['publish']> {
    if (this.failure !== undefined && this.later) return Promise.reject(this.failure);
    if (this.failure !== undefined) throw this.failure;
    const result = super.publish(...args);
    return this.later ? Promise.resolve(result) : result;
  }
}

describe.each([
  ['at once', false, false],
  ['later', true, true],
  ['at once, the broker later', false, true],
  ['later, the broker at once', true, false],
])('a publish into stores that answer %s', (_when, registryLater, brokerLater) => {
  let clock: FakeClock;
  let broker: Broker;
  let node: RealtimeNode;
  let channels: ChannelManager;
  let publisher: Publisher;
  let refusal: MsgError | undefined;
  let ended: [name: string, ok: boolean][];

  beforeEach(async () => {
    clock = new FakeClock();
    broker = new Broker({ clock, random: systemRandom, wheel: new TimerWheel(clock) });
    broker.later = brokerLater;
    node = new RealtimeNode({ policy: { connect: () => ({ user: '' }) }, clock, broker });
    await node.start();
    channels = new ChannelManager({
      registry: new Registry(registryLater),
      clock,
      onDeleted: async () => {},
    });
    refusal = undefined;
    ended = [];
    publisher = new Publisher({
      node,
      channels,
      options: new ChannelOptionRules([]),
      listeners: new Listeners(node),
      schemas: {
        check() {
          if (refusal !== undefined) throw refusal;
        },
      },
      onEnd(name, ok, seconds) {
        expect(seconds).toBeGreaterThanOrEqual(0);
        ended.push([name, ok]);
      },
    });
    await channels.openPublic(NAME);
  });

  afterEach(() => node.shutdown({ graceMs: 0 }));

  const publish = async () => publisher.publish(NAME, DATA);
  const stored = async () => (await node.history(NAME, { limit: -1 })).publications.length;

  test('answers the position and counts as activity, without a promise where nothing is waited for', async () => {
    await clock.advance(5);
    const ack = publisher.publish(NAME, DATA);
    expect(ack instanceof Promise).toBe(registryLater || brokerLater);
    expect(await ack).toEqual({ offset: 1, epoch: expect.stringMatching(/./) });
    expect(ended).toEqual([[NAME, true]]);
    expect(await channels.get(NAME)).toMatchObject({ lastActive: clock.now() });
    expect(await stored()).toBe(1);
  });

  test('is refused for channels that are not open, and then nothing is published', async () => {
    await expect(async () => publisher.publish('public:x.y', DATA)).rejects.toMatchObject({
      code: 'MSG_CHANNEL_NOT_FOUND',
    });
    await expect(async () => publisher.publish('x', DATA)).rejects.toMatchObject({
      code: 'MSG_CHANNEL_INVALID',
    });
    await clock.advance(3_600_000);
    await channels.sweep();
    await expect(publish).rejects.toMatchObject({ code: 'MSG_CHANNEL_CLOSED' });
    expect(ended.map(([, ok]) => ok)).toEqual([false, false, false]);
    expect(await stored()).toBe(0);
  });

  test('is refused when its data do not fit the schema', async () => {
    refusal = new MsgError('MSG_INVALID_ARGUMENT', 'no');
    await expect(publish).rejects.toBe(refusal);
    expect(ended).toEqual([[NAME, false]]);
    expect(await stored()).toBe(0);
  });

  test('tells what the broker did not take, and that is no activity', async () => {
    const before = await channels.get(NAME);
    broker.failure = new Error('gone');
    await clock.advance(5);
    await expect(publish).rejects.toMatchObject({ code: 'MSG_BROKER_INTERNAL', cause: broker.failure });
    expect(ended).toEqual([[NAME, false]]);
    expect(await channels.get(NAME)).toEqual(before);
  });

  test('is refused while the node does not run', async () => {
    await node.shutdown({ graceMs: 0 });
    await expect(publish).rejects.toMatchObject({ code: 'MSG_BROKER_NOT_READY' });
    expect(ended).toEqual([[NAME, false]]);
  });
});
