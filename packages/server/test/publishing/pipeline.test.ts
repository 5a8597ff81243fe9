import { MsgError } from '@msg/core';
import { MemoryBroker, RealtimeNode, TimerWheel } from '@msg/engine';
import { systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { StoreError } from '@msg/redis/internal';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ChannelOptionRules } from '#src/channels/channel-options.ts';
import { ChannelManager } from '#src/channels/manager.ts';
import { MemoryChannelRegistry } from '#src/channels/registry/memory.ts';
import { OutboxVersions } from '#src/publishing/outbox-versions.ts';
import { PublishPipeline } from '#src/publishing/pipeline.ts';

const NAME = 'public:a.b';
const DATA = Buffer.from('1');

/** A gate of other callers. */
const unused = (): never => {
  throw new Error('not a gate of this row');
};

/** Answers at once, or with promises as a shared store does. */
class Registry extends MemoryChannelRegistry {
  failure: Error | undefined;
  readonly #later: boolean;

  constructor(clock: ManualClock, later: boolean) {
    super(clock);
    this.#later = later;
  }

  override get(...args: Parameters<MemoryChannelRegistry['get']>): ReturnType<MemoryChannelRegistry['get']> {
    const found = super.get(...args);
    return this.#later ? Promise.resolve(found) : found;
  }

  override touch(
    ...args: Parameters<MemoryChannelRegistry['touch']>
  ): ReturnType<MemoryChannelRegistry['touch']> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
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
  let clock: ManualClock;
  let outboxVersions: OutboxVersions;
  let broker: Broker;
  let node: RealtimeNode;
  let channels: ChannelManager;
  let pipeline: PublishPipeline;
  let refusal: MsgError | undefined;
  let registry: Registry;
  let ended: [name: string, ok: boolean][];
  let errors: unknown[];

  beforeEach(async () => {
    clock = new ManualClock();
    outboxVersions = new OutboxVersions();
    broker = new Broker({ clock, random: systemRandom, wheel: new TimerWheel(clock) });
    broker.later = brokerLater;
    node = new RealtimeNode({ policy: { connect: () => ({ user: '' }) }, clock, broker });
    await node.start();
    registry = new Registry(clock, registryLater);
    channels = new ChannelManager({
      registry,
      clock,
      onDeleted: async () => {},
    });
    refusal = undefined;
    ended = [];
    errors = [];
    pipeline = new PublishPipeline({
      node: () => node,
      channels,
      access: { decide: unused, decideState: unused },
      limits: { permits: unused, takePublish: unused },
      clientLimits: { publish: unused, open: unused },
      options: new ChannelOptionRules([]),
      clock,
      outboxVersions,
      sendsInOrder: false,
      schemas: {
        check() {
          if (refusal !== undefined) throw refusal;
        },
      },
      onEnd(name, ok, seconds) {
        expect(seconds).toBeGreaterThanOrEqual(0);
        ended.push([name, ok]);
      },
      onError: error => void errors.push(error),
    });
    await channels.openPublic(NAME);
  });

  afterEach(() => node.shutdown({ graceMs: 0 }));

  const publish = async () => pipeline.publish(NAME, DATA);
  const stored = async () => (await node.history(NAME, { limit: -1 })).publications.length;

  test('answers the position and counts as activity, without a promise where nothing is waited for', async () => {
    await clock.advance(5);
    const ack = pipeline.publish(NAME, DATA);
    expect(ack instanceof Promise).toBe(registryLater || brokerLater);
    expect(await ack).toEqual({ offset: 1, epoch: expect.stringMatching(/./), suppressed: false });
    expect(ended).toEqual([[NAME, true]]);
    expect(await channels.get(NAME)).toMatchObject({ lastActive: clock.now() });
    expect(await stored()).toBe(1);
  });

  test('is refused for channels that are not open, and then nothing is published', async () => {
    await expect(async () => pipeline.publish('public:x.y', DATA)).rejects.toMatchObject({
      code: 'MSG_CHANNEL_NOT_FOUND',
    });
    await expect(async () => pipeline.publish('x', DATA)).rejects.toMatchObject({
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

  test('reports what the broker did not take, which is not an activity', async () => {
    const before = await channels.get(NAME);
    broker.failure = new Error('gone');
    await clock.advance(5);
    await expect(publish).rejects.toMatchObject({ code: 'MSG_BROKER_INTERNAL', cause: broker.failure });
    expect(ended).toEqual([[NAME, false]]);
    expect(await channels.get(NAME)).toEqual(before);
  });

  test('tells what the store of the broker did not take: nothing happened, or nobody knows', async () => {
    broker.failure = new StoreError('OOM', false);
    await expect(publish).rejects.toMatchObject({
      code: 'MSG_BROKER_NOT_READY',
      message: 'the shared store refuses the command: OOM, it is out of memory',
    });
    broker.failure = new StoreError('NO_ANSWER', true);
    await expect(publish).rejects.toMatchObject({
      code: 'MSG_BROKER_INTERNAL',
      message: 'the shared store did not answer: the outcome of the call is not known',
    });
  });

  test('succeeds once it is out, also when its activity cannot be noted', async () => {
    registry.failure = new Error('the store is full');
    expect(await publish()).toMatchObject({ offset: 1 });
    expect(ended).toEqual([[NAME, true]]);
    expect(errors).toEqual([registry.failure]);
    expect(await stored()).toBe(1);
  });

  test('is refused while the node does not run', async () => {
    await node.shutdown({ graceMs: 0 });
    await expect(publish).rejects.toMatchObject({ code: 'MSG_BROKER_NOT_READY' });
    expect(ended).toEqual([[NAME, false]]);
  });
});
