import type { Broker } from '@msg/engine';
import { redisBackends } from '@msg/engine/redis';
import { RecordedEvents } from '@msg/engine/testing';
import { Payload } from '@msg/protocol';
import { openRedis, type RedisStore } from '@msg/redis';
import { shardOf } from '@msg/redis/internal';
import { eventually } from '@msg/testkit';
import { RedisCluster } from '@msg/testkit/redis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

const START_MS = 120_000;
const TEST_MS = 180_000;
const PARTITIONS = 7;
const PREFIX = 'p:b:1';
const CHANNELS = ['a', 'b', 'c', 'public:chat.room.42', '{odd}.one'];
const KEPT = { size: 10, ttlMs: 60_000 };
const INFO = { user: 'u', client: 'c', connInfo: null, chanInfo: null };

const tagOf = (channel: string): string => `{${shardOf(channel, PARTITIONS)}}`;
const messagesOf = (channel: string): string => `${PREFIX}.client.${tagOf(channel)}.${channel}`;

describe('sharded PUB/SUB', () => {
  let cluster: RedisCluster;
  const stores: RedisStore[] = [];
  const brokers: Broker[] = [];

  beforeAll(async () => {
    cluster = await RedisCluster.start();
  }, START_MS);

  afterEach(async () => {
    await Promise.all(brokers.splice(0).map(broker => broker.stop()));
    for (const store of stores.splice(0)) store.close();
    for (const node of cluster.nodes) await node.command('FLUSHALL');
  });

  afterAll(() => cluster.stop());

  async function started() {
    const store = await openRedis({ address: cluster.address });
    stores.push(store);
    const { broker, delivery } = redisBackends([store], { prefix: PREFIX, partitions: PARTITIONS });
    brokers.push(broker);
    const events = new RecordedEvents();
    await broker.start(events);
    return { broker, events, delivery };
  }

  /** What every node of the cluster answers, together. */
  async function everywhere(name: string, ...args: string[]): Promise<string[]> {
    const answers = await Promise.all(cluster.nodes.map(node => node.command(name, ...args)));
    return (answers as string[][]).flat().sort();
  }

  /** Whatever a channel's name is used for: streams, idempotency, plain publications, joins, leaves. */
  async function useEverything(broker: Broker, channel: string): Promise<void> {
    const data = new Payload(new TextEncoder().encode('1'));
    await broker.publish(channel, data, KEPT, { idempotencyKey: 'i' });
    await broker.publish(channel, data, { size: 0, ttlMs: 0 }, { idempotencyKey: 'j' });
    await broker.publish(channel, data, { size: 0, ttlMs: 0 }, {});
    await broker.publishJoin(channel, INFO);
    await broker.publishLeave(channel, INFO);
  }

  it(
    'carries all messages of channels to every node, and plain PUB/SUB none',
    async () => {
      const [one, other] = [await started(), await started()];
      for (const { broker } of [one, other])
        await Promise.all(CHANNELS.map(channel => broker.subscribe(channel)));
      await Promise.all(CHANNELS.map(channel => useEverything(one.broker, channel)));
      for (const { events, delivery } of [one, other]) {
        await events.arrived(3 * CHANNELS.length);
        await events.announcedCount(2 * CHANNELS.length);
        expect(new Set(events.publications.map(({ channel }) => channel))).toEqual(new Set(CHANNELS));
        expect(delivery().publications).toBe(true);
      }
      const probes = Array.from({ length: PARTITIONS }, (_, k) => `${PREFIX}.shard.0.{${k}}`);
      const expected = [...CHANNELS.map(messagesOf), ...probes].sort();
      expect(await everywhere('PUBSUB', 'SHARDCHANNELS', `${PREFIX}.*`)).toEqual(expected);
      expect(await everywhere('PUBSUB', 'CHANNELS', '*')).toEqual([]);
    },
    TEST_MS,
  );

  it(
    'keeps all keys of a channel in the slot of its partition',
    async () => {
      const { broker } = await started();
      for (const channel of CHANNELS) {
        await useEverything(broker, channel);
        const names = ['stream', 'stream.meta'].map(kind => `${PREFIX}.${kind}.${tagOf(channel)}.${channel}`);
        const results = ['i', 'j'].map(key => `${PREFIX}.result.${tagOf(channel)}.${channel}.${key}`);
        const slot = await cluster.slotOf(tagOf(channel));
        const owner = cluster.nodes[await cluster.ownerOf(slot)];
        expect(await owner?.command('EXISTS', ...names, ...results)).toBe(4);
        expect(await cluster.slotOf(messagesOf(channel))).toBe(slot);
        await broker.removeStream(channel);
        expect(await owner?.command('EXISTS', ...names)).toBe(0);
      }
    },
    TEST_MS,
  );

  it(
    'leaves channels that nobody needs, and only those',
    async () => {
      const { broker } = await started();
      await Promise.all(CHANNELS.map(channel => broker.subscribe(channel)));
      const [kept, ...left] = CHANNELS;
      await Promise.all(left.map(channel => broker.unsubscribe(channel)));
      const listened = () => everywhere('PUBSUB', 'SHARDCHANNELS', `${PREFIX}.client.*`);
      await eventually('one channel is left', async () => (await listened()).length === 1);
      expect(await listened()).toEqual([messagesOf(kept ?? '')]);
    },
    TEST_MS,
  );

  it(
    'a slot that moves costs the other partitions nothing, and names the channels of its own',
    async () => {
      const { broker, delivery, events } = await started();
      const restored: string[][] = [];
      Object.assign(events, { restored: (channels: string[]) => restored.push(channels) });
      await Promise.all(CHANNELS.map(channel => broker.subscribe(channel)));
      const slot = await cluster.slotOf(tagOf('a'));
      await cluster.moveSlot(slot, ((await cluster.ownerOf(slot)) + 1) % cluster.nodes.length);
      await eventually('the partition is back', () => restored.length > 0 && delivery().publications);
      const moved = CHANNELS.filter(channel => tagOf(channel) === tagOf('a'));
      expect(restored.map(channels => channels.toSorted())).toEqual([moved.toSorted()]);
      await useEverything(broker, 'a');
      await events.arrived(3);
    },
    TEST_MS,
  );

  it('is not to be had from one server', async () => {
    const store = await openRedis({ address: cluster.nodes[0]?.address ?? '' });
    stores.push(store);
    expect(() => redisBackends([store], { partitions: 1 })).toThrow(RangeError);
    expect(await store.hasShardedPubSub()).toBe(false);
    const handlers = { message: () => {}, restored: () => {} };
    await expect(store.subscriptions('probe', handlers, 'sharded').start()).rejects.toThrow('only a cluster');
  });
});
