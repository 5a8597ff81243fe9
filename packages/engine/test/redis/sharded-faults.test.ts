import { redisBackends } from '@msg/engine/redis';
import { systemClock } from '@msg/foundation/clock';
import { openRedis, type RedisStore } from '@msg/redis';
import { shardOf } from '@msg/redis/internal';
import { eventually } from '@msg/testkit';
import { RedisCluster, type RedisServer } from '@msg/testkit/redis';
import { describe, expect, it, type TestContext, vi } from 'vitest';
import { Harness, OPEN_POLICY } from '../harness.ts';
import { Listener, receiveInOneOrder, upTo } from './listener.ts';

// Each case has a cluster of its own, and waits for it most of the time.
vi.setConfig({ maxConcurrency: 2 });

const TEST_MS = 180_000;
const SOON_MS = 60_000;
const PARTITIONS = 4;
const CHANNEL = 'c';

/** Two nodes on one cluster, a stock client at each. */
class Fleet {
  readonly cluster: RedisCluster;
  readonly nodes: readonly Harness[];
  readonly listeners: readonly Listener[];
  readonly #stores: readonly RedisStore[];

  private constructor(
    cluster: RedisCluster,
    nodes: readonly Harness[],
    listeners: readonly Listener[],
    stores: readonly RedisStore[],
  ) {
    this.cluster = cluster;
    this.nodes = nodes;
    this.listeners = listeners;
    this.#stores = stores;
  }

  /** It is stopped when the test has finished. */
  static async start({ onTestFinished }: TestContext): Promise<Fleet> {
    const cluster = await RedisCluster.start();
    onTestFinished(() => cluster.stop(), TEST_MS);
    const stores = [
      await openRedis({ address: cluster.address }),
      await openRedis({ address: cluster.address }),
    ];
    const policy = { ...OPEN_POLICY, streamOptions: () => ({ size: 10_000, ttlMs: 300_000 }) };
    const start = (store: RedisStore): Promise<Harness> =>
      Harness.start({ ...redisBackends([store], { partitions: PARTITIONS }), policy, clock: systemClock });
    const nodes = await Promise.all(stores.map(start));
    const listeners = await Promise.all(nodes.map(({ url }) => Listener.start(url, CHANNEL)));
    const fleet = new Fleet(cluster, nodes, listeners, stores);
    onTestFinished(() => fleet.#stop(), TEST_MS);
    return fleet;
  }

  /** The slot of the channel's partition. */
  slot(): Promise<number> {
    return this.cluster.slotOf(`{${shardOf(CHANNEL, PARTITIONS)}}`);
  }

  /** The master that serves the channel's partition, and its place among the masters. */
  async owner(): Promise<{ readonly index: number; readonly master: RedisServer }> {
    const index = await this.cluster.ownerOf(await this.slot());
    return { index, master: this.cluster.nodes[index] as RedisServer };
  }

  /** Publishes the numbers of [from, to), one after another; what fails is repeated until it is known to be stored. */
  async publish(from: number, to: number): Promise<void> {
    for (let n = from; n < to; n++) {
      const data = Buffer.from(String(n));
      const publish = async () => {
        await this.nodes[n % 2]?.node.publish(CHANNEL, data, { idempotencyKey: String(n) });
        return true;
      };
      await eventually(`${n} is stored`, () => publish().catch(() => false), SOON_MS);
    }
  }

  /** Everybody has received the numbers below `count`, in order and once, and was never told of a loss. */
  async whole(count: number): Promise<void> {
    const all = () => this.listeners.every(({ received }) => received.length >= count);
    await eventually('everything arrives', all, SOON_MS);
    for (const { received, recovered } of this.listeners) {
      expect(received).toEqual(upTo(count));
      expect(recovered).not.toContain(false);
    }
  }

  async #stop(): Promise<void> {
    for (const listener of this.listeners) listener.close();
    await Promise.all(this.nodes.map(node => node.stop()));
    for (const store of this.#stores) store.close();
  }
}

describe.concurrent('two nodes on a cluster with sharded PUB/SUB', () => {
  it(
    'subscribers of either node get what either publishes, in one order',
    async test => {
      const fleet = await Fleet.start(test);
      const publish = (n: number) => fleet.nodes[n % 2]?.publish(CHANNEL, String(n));
      await Promise.all(upTo(200).map(publish));
      await receiveInOneOrder(fleet.listeners, 200);
    },
    TEST_MS,
  );

  it(
    'a slot that moves under load, there and back, costs nobody a publication',
    async test => {
      const fleet = await Fleet.start(test);
      const load = fleet.publish(0, 600);
      const moves = async () => {
        const slot = await fleet.slot();
        for (let move = 1; move <= 4; move++) await fleet.cluster.moveSlot(slot, move % 3);
      };
      await Promise.all([load, moves()]);
      await fleet.whole(600);
    },
    TEST_MS,
  );

  it(
    'PUB/SUB connections that are cut come back, with what was missed',
    async test => {
      const fleet = await Fleet.start(test);
      await fleet.publish(0, 50);
      const load = fleet.publish(50, 400);
      for (const node of fleet.cluster.nodes) await node.command('CLIENT', 'KILL', 'TYPE', 'pubsub');
      await load;
      await fleet.whole(400);
    },
    TEST_MS,
  );

  it.for(['dies', 'hangs'] as const)(
    'a master that %s is replaced by its replica, and nobody loses a publication',
    { timeout: TEST_MS },
    async (fault, test) => {
      const fleet = await Fleet.start(test);
      const { index, master } = await fleet.owner();
      const replica = await fleet.cluster.addReplica(index);
      await fleet.publish(0, 50);
      await master.command('WAIT', 1, SOON_MS); // what a replica does not have yet is lost with its master
      if (fault === 'dies') await master.kill();
      else master.pause();
      const promoted = async () => String(await replica.command('ROLE')).startsWith('master');
      await eventually('the replica takes over', promoted, SOON_MS);
      await fleet.publish(50, 150);
      if (fault === 'hangs') master.resume();
      await fleet.publish(150, 200);
      await fleet.whole(200);
    },
  );
});
