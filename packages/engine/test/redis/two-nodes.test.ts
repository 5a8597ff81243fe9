import { redisBackends } from '@msg/engine/redis';
import { systemClock } from '@msg/foundation/clock';
import { openRedis, type RedisStore } from '@msg/redis';
import { eventually } from '@msg/testkit';
import { FaultProxy, RedisServer } from '@msg/testkit/redis';
import { afterEach, describe, expect, it } from 'vitest';
import { Harness, OPEN_POLICY } from '../harness.ts';
import { Listener, receiveInOneOrder, upTo } from './listener.ts';

const TEST_MS = 180_000;
const SOON_MS = 60_000;

/** Two nodes, the second behind a proxy that fails as told, and stock clients. */
class Fleet {
  readonly redis: RedisServer;
  readonly proxy: FaultProxy;
  readonly near: Harness;
  readonly far: Harness;
  readonly #stores: readonly RedisStore[];
  readonly #listeners: Listener[] = [];

  private constructor(
    redis: RedisServer,
    proxy: FaultProxy,
    [near, far]: readonly [Harness, Harness],
    stores: readonly RedisStore[],
  ) {
    this.redis = redis;
    this.proxy = proxy;
    this.near = near;
    this.far = far;
    this.#stores = stores;
  }

  static async start(): Promise<Fleet> {
    const redis = await RedisServer.start();
    const proxy = await FaultProxy.start(redis);
    const stores: RedisStore[] = [];
    const node = async (address: string): Promise<Harness> => {
      const store = await openRedis({ address });
      stores.push(store);
      const policy = { ...OPEN_POLICY, streamOptions: () => ({ size: 10_000, ttlMs: 300_000 }) };
      return Harness.start({ ...redisBackends([store]), policy, clock: systemClock });
    };
    return new Fleet(redis, proxy, [await node(redis.address), await node(proxy.address)], stores);
  }

  async listener(node: Harness): Promise<Listener> {
    const listener = await Listener.start(node.url, 'c');
    this.#listeners.push(listener);
    return listener;
  }

  /** Publishes the numbers of [from, to) on the node that no fault touches. */
  async publish(from: number, to: number): Promise<void> {
    for (let n = from; n < to; n++) await this.near.publish('c', String(n));
  }

  async stop(): Promise<void> {
    for (const listener of this.#listeners) listener.close();
    await Promise.all([this.near.stop(), this.far.stop()]);
    for (const store of this.#stores) store.close();
    await this.proxy.stop();
    await this.redis.stop();
  }
}

describe('two nodes on one Redis', () => {
  let fleet: Fleet;

  afterEach(() => fleet.stop(), TEST_MS);

  it(
    'subscribers of either node get what either publishes, in one order',
    async () => {
      fleet = await Fleet.start();
      const { near, far } = fleet;
      const listeners = [await fleet.listener(near), await fleet.listener(far)];
      await Promise.all(upTo(200).map(n => (n % 2 === 0 ? near : far).publish('c', String(n))));
      await receiveInOneOrder(listeners, 200);
    },
    TEST_MS,
  );

  it(
    'connections of a node that are cut cost nobody a publication',
    async () => {
      fleet = await Fleet.start();
      const { received, recovered } = await fleet.listener(fleet.far);
      await fleet.publish(0, 50);
      fleet.proxy.fault = 'cut';
      await fleet.publish(50, 150);
      fleet.proxy.fault = 'pass';
      await eventually('what was missed arrives', () => received.length >= 150, SOON_MS);
      await fleet.publish(150, 200);
      await eventually('the rest arrives', () => received.length >= 200, SOON_MS);
      expect(received).toEqual(upTo(200));
      expect(recovered).not.toContain(false);
    },
    TEST_MS,
  );

  it(
    'a PUB/SUB connection that is open but silent is found out and replaced',
    async () => {
      fleet = await Fleet.start();
      const { received, recovered } = await fleet.listener(fleet.far);
      await fleet.publish(0, 50);
      await eventually('the first arrive', () => received.length === 50, SOON_MS);
      expect(fleet.proxy.silenceSubscriptions()).toBeGreaterThan(0);
      await fleet.publish(50, 150);
      await eventually('what was missed arrives', () => received.length >= 150, SOON_MS);
      expect(received).toEqual(upTo(150));
      expect(recovered).not.toContain(false);
    },
    TEST_MS,
  );

  it(
    'Redis that lost its data is admitted: not recovered, and live again',
    async () => {
      fleet = await Fleet.start();
      const { received, recovered } = await fleet.listener(fleet.far);
      await fleet.publish(0, 20);
      await eventually('the first arrive', () => received.length === 20, SOON_MS);
      await fleet.redis.kill();
      await expect(fleet.near.publish('c', '-1')).rejects.toThrow();
      await fleet.redis.restart();
      await eventually('the loss is told', () => recovered.includes(false), SOON_MS);
      await fleet.publish(20, 40);
      await eventually('later ones arrive', () => received.length >= 40, SOON_MS);
      expect(received).toEqual(upTo(40));
    },
    TEST_MS,
  );

  it(
    'a stream that lost its end and gave the offsets again is not recovered over the loss',
    async () => {
      fleet = await Fleet.start();
      const { received, recovered } = await fleet.listener(fleet.far);
      await fleet.publish(0, 20);
      await eventually('the first arrive', () => received.length === 20, SOON_MS);
      const epoch = await fleet.redis.command('HGET', META, 'e');
      await rewind(fleet.redis, 20, 10);
      // What a replica had that was promoted without the last ten: eleven more pass the old top.
      await fleet.publish(100, 111);
      await eventually('the loss is told', () => recovered.length > 0, SOON_MS);
      expect(recovered).toEqual([false]);
      expect(await fleet.redis.command('HGET', META, 'e')).not.toBe(epoch);
      await fleet.publish(200, 205);
      await eventually('later ones arrive', () => received.at(-1) === 204, SOON_MS);
      expect(received.filter(n => n >= 200)).toEqual([200, 201, 202, 203, 204]);
    },
    TEST_MS,
  );
});

const STREAM = 'msg:b:1.stream.c';
const META = 'msg:b:1.stream.meta.c';

/** Takes the entries after an offset out of the stream of the channel `c`. */
async function rewind(redis: RedisServer, top: number, to: number): Promise<void> {
  for (let offset = to + 1; offset <= top; offset++) await redis.command('XDEL', STREAM, offset);
  await redis.command('XSETID', STREAM, to);
  await redis.command('HSET', META, 's', to);
}
