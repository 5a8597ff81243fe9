import type { ControlCommand } from '@msg/engine';
import { redisBackends } from '@msg/engine/redis';
import {
  APPEND_CONTRACT,
  answerSurvey,
  BROKER_CONTRACT,
  CONTROL_CONTRACT,
  PRESENCE_CONTRACT,
  RecordedEvents,
} from '@msg/engine/testing';
import { systemClock, systemRandom } from '@msg/foundation/clock';
import { openRedis, type RedisStore } from '@msg/redis';
import { eventually } from '@msg/testkit';
import { RedisCluster, RedisSentinels, RedisServer } from '@msg/testkit/redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChannelKeyNames } from '#src/broker/redis/keys.ts';

const CONTRACT_MS = 60_000;
const START_MS = 120_000;
const LONGEST_WAIT_MS = 10_000;

interface Topology {
  readonly name: string;
  /** Of sharded PUB/SUB. */
  readonly partitions?: number;
  start(): Promise<{ readonly addresses: readonly string[]; stop(): Promise<void> }>;
}

async function startCluster() {
  const cluster = await RedisCluster.start();
  return { addresses: [cluster.address], stop: () => cluster.stop() };
}

/**
 * Waits. What takes longer than any timer of a node happens in the store alone, as if its clock had gone on: the claim of
 * message `m` of channel `c` is older.
 */
async function passTime(stores: readonly RedisStore[], keys: ChannelKeyNames, ms: number): Promise<void> {
  if (ms <= LONGEST_WAIT_MS) return new Promise(resolve => setTimeout(resolve, ms));
  const done = `${keys.appends('c')[1]}m`;
  for (const store of stores)
    if ((await store.call('HEXISTS', done, 'xe')) === 1) await store.call('HINCRBY', done, 'xe', -ms);
}

const topologies: readonly Topology[] = [
  {
    name: 'standalone',
    async start() {
      const server = await RedisServer.start();
      return { addresses: [server.address], stop: () => server.stop() };
    },
  },
  {
    name: 'two independent shards',
    async start() {
      const servers = [await RedisServer.start(), await RedisServer.start()];
      return {
        addresses: servers.map(({ address }) => address),
        stop: async () => void (await Promise.all(servers.map(server => server.stop()))),
      };
    },
  },
  {
    name: 'Sentinels',
    async start() {
      const sentinels = await RedisSentinels.start();
      return { addresses: [sentinels.address], stop: () => sentinels.stop() };
    },
  },
  { name: 'cluster', start: startCluster },
  { name: 'cluster with sharded PUB/SUB', partitions: 5, start: startCluster },
];

describe.each(topologies)('Redis backends keep the contracts: $name', ({ start, partitions = 0 }) => {
  let running: Awaited<ReturnType<Topology['start']>>;
  const opened: RedisStore[] = [];
  let prefixes = 0;

  async function backends(prefix = `t${++prefixes}:b:1`) {
    const stores = await Promise.all(running.addresses.map(address => openRedis({ address })));
    opened.push(...stores);
    const [first, ...others] = stores;
    if (first === undefined) throw new Error('no store');
    const options = { prefix, partitions, clock: systemClock, random: systemRandom };
    const keys = new ChannelKeyNames(prefix, { cluster: first.cluster, partitions });
    return { ...redisBackends([first, ...others], options), stores, keys };
  }

  beforeAll(async () => {
    running = await start();
  }, START_MS);

  afterAll(async () => {
    for (const store of opened) store.close();
    await running.stop();
  }, START_MS);

  it.concurrent.each(BROKER_CONTRACT)(
    'broker: $name',
    async ({ holds }) => {
      const { broker } = await backends();
      const events = new RecordedEvents();
      await broker.start(events);
      // The memory broker hands everything on; here a node hears of what it is subscribed to.
      await Promise.all(['a', 'b', 'c'].map(channel => broker.subscribe(channel)));
      await holds({ broker, events, advance: ms => new Promise(resolve => setTimeout(resolve, ms)) });
      await broker.stop();
    },
    CONTRACT_MS,
  );

  it.concurrent.each(APPEND_CONTRACT)(
    'append streams: $name',
    async ({ holds }) => {
      const { broker, stores, keys } = await backends();
      const events = new RecordedEvents();
      await broker.start(events);
      await broker.subscribe('c');
      await holds({ broker, events, advance: ms => passTime(stores, keys, ms) });
      await broker.stop();
    },
    CONTRACT_MS,
  );

  it.concurrent.each(PRESENCE_CONTRACT)(
    'presence: $name',
    async ({ holds }) => {
      const { presence } = await backends();
      await presence.start();
      await holds(presence);
      await presence.stop();
    },
    CONTRACT_MS,
  );

  it.concurrent.each(CONTROL_CONTRACT)(
    'control: $name',
    async ({ holds }) => {
      const prefix = `t${++prefixes}:b:1`;
      const nodes = await Promise.all(
        ['n1', 'n2', 'n3'].map(async id => {
          const { control } = await backends(prefix);
          const executed: ControlCommand[] = [];
          await control.start(id, {
            version: '1.2.3',
            execute: command => executed.push(command),
            survey: (operation, data) => answerSurvey(id, operation, data),
          });
          return { id, control, executed };
        }),
      );
      await holds({ nodes, eventually });
      await Promise.all(nodes.map(({ control }) => control.stop()));
      expect(nodes.flatMap(({ control }) => control.nodes())).toEqual([]);
    },
    CONTRACT_MS,
  );
});
