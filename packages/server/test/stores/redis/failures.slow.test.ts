import { systemClock } from '@msg/foundation/clock';
import { eventually } from '@msg/testkit';
import { FaultProxy, RedisCluster, RedisSentinels, RedisServer } from '@msg/testkit/redis';
import { afterEach, expect, test } from 'vitest';
import { RedisChannelRegistry } from '#src/channels/registry/redis/registry.ts';
import { connectSharedStore, type SharedConnection } from '#src/stores/redis/connect.ts';
import type { RedisOptions } from '#src/stores/redis/options.ts';

const WAIT_MS = 60_000;
const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

function keep<T extends { stop(): Promise<void> }>(started: T): T {
  stops.push(() => started.stop());
  return started;
}

/** A connection with a registry on it, and the events that arrive. */
async function connected(options: RedisOptions) {
  const connection: SharedConnection = await connectSharedStore(options);
  stops.push(() => connection.close());
  const heard: string[] = [];
  let reconnections = 0;
  await connection.listen({
    channels: new Map([[connection.store.key('events'), text => void heard.push(JSON.parse(text).name)]]),
    reconnected: () => {
      reconnections++;
    },
  });
  const registry = new RedisChannelRegistry({ store: connection.store, nodeId: 'n', clock: systemClock });
  return { connection, registry, heard, reconnections: () => reconnections };
}

/** Opens new channels until one is opened and its event arrives. */
async function worksAgain({ registry, heard }: Awaited<ReturnType<typeof connected>>): Promise<void> {
  let serial = 0;
  await eventually(
    'channels are opened, and their events heard',
    async () => {
      const name = `public:again.n${serial++}`;
      await registry.openPublic(name, 60_000).catch(() => undefined);
      await new Promise(resolve => setImmediate(resolve));
      return heard.some(other => other.startsWith('public:again.'));
    },
    WAIT_MS,
  );
}

test('after a Sentinel failover the store is found at its new place', async () => {
  const topology = keep(await RedisSentinels.start({ replicas: 1 }));
  const node = await connected({ address: topology.address });
  await node.registry.openPublic('public:before', 60_000);
  await topology.master.command('WAIT', 1, 5000);
  await topology.master.kill();
  await topology.failedOver(topology.master);
  await worksAgain(node);
  expect(await node.registry.get('public:before')).toMatchObject({ state: 'open' });
  expect(node.reconnections()).toBeGreaterThan(0);
}, 180_000);

test('a slot that moves between masters takes the registry along', async () => {
  const cluster = keep(await RedisCluster.start());
  const node = await connected({ address: cluster.address });
  await node.registry.openPublic('public:before', 60_000);
  const slot = await cluster.slotOf(node.connection.store.key('channels'));
  await cluster.moveSlot(slot, ((await cluster.ownerOf(slot)) + 1) % 3);
  expect(await node.registry.get('public:before')).toMatchObject({ state: 'open' });
  await worksAgain(node);
}, 180_000);

test('a PUB/SUB connection that is open but silent is made anew', async () => {
  const server = keep(await RedisServer.start());
  const proxy = keep(await FaultProxy.start(server));
  const node = await connected({ address: proxy.address });
  expect(proxy.silenceSubscriptions()).toBe(1);
  await eventually('the connection is made anew', () => node.reconnections() === 1, WAIT_MS);
  await worksAgain(node);
}, 120_000);

test('a paused server answers no request, and all of them when it continues', async () => {
  const server = keep(await RedisServer.start());
  const node = await connected({ address: server.address });
  server.pause();
  await expect(node.registry.get('public:any')).rejects.toThrow();
  expect((await node.connection.health())['store']).toMatchObject({ ok: false });
  server.resume();
  await worksAgain(node);
  await eventually(
    'it is healthy',
    async () => (await node.connection.health())['store']?.ok === true,
    WAIT_MS,
  );
}, 120_000);
