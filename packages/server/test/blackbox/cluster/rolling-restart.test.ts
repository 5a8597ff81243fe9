import { eventually, RoundRobinProxy } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type ClusterNode, readiness, startNode } from '../../support/cluster.ts';
import { manifestOf, rpcOf } from '../../support/rpc.ts';
import { scrape } from '../../support/scrape.ts';
import { closeClients, received, stockClient } from '../../support/stock-client.ts';

const WAIT_MS = 60_000;
const CHANNEL = 'public:shop.rolling';
const CLIENTS = 6;

let redis: RedisServer;
let proxy: RoundRobinProxy;
const nodes: ClusterNode[] = [];

const start = (port?: number): Promise<ClusterNode> =>
  startNode(redis.address, 'roll', {
    args: ['--drain-window', '1500ms'],
    ...(port === undefined ? {} : { port }),
  });

beforeAll(async () => {
  redis = await RedisServer.start();
  nodes.push(...(await Promise.all([start(), start()])));
  proxy = await RoundRobinProxy.start(nodes.map(node => node.url));
  proxy.probe('/readyz');
});
afterEach(closeClients);
afterAll(async () => {
  await proxy.stop();
  await Promise.all(nodes.map(node => node.stop()));
  await redis.stop();
});

test('node after node is replaced, and neither publishers nor subscribers notice', async () => {
  const token = nodes[0]?.token ?? '';
  const rpc = rpcOf(proxy.url, token);
  await rpc('OpenPublic', { name: CHANNEL });
  const clients = await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      const client = stockClient(`${proxy.url.replace('http', 'ws')}/connection/websocket`);
      const subscription = client.newSubscription(CHANNEL);
      const publications = received(subscription);
      const unrecovered: unknown[] = [];
      subscription.on('subscribed', context => {
        if (context.wasRecovering && !context.recovered) unrecovered.push(context);
      });
      subscription.subscribe();
      client.connect();
      await subscription.ready(WAIT_MS);
      return { publications, unrecovered };
    }),
  );

  let sent = 0;
  let isOver = false;
  const refused: number[] = [];
  const publishing = (async () => {
    while (!isOver) {
      const data = Buffer.from(String(sent + 1)).toString('base64');
      const { status } = await rpc('Publish', { name: CHANNEL, data });
      if (status === 200) sent++;
      else refused.push(status);
    }
  })();

  for (const [index, old] of [...nodes].entries()) {
    const { boot_id } = await manifestOf(old.url);
    expect((await manifestOf(old.url)).boot_id).toBe(boot_id);
    old.kill('SIGTERM');
    // Red first: the listener still answers, and what still arrives here is served.
    await eventually('it is red', async () => (await readiness(old.url)).status === 503, WAIT_MS);
    expect((await readiness(old.url)).body.subsystems['broker']).toEqual({ ok: false, detail: 'draining' });
    expect((await scrape(old.url)).value('msg_subsystem_up', { subsystem: 'broker' })).toBe(0);
    expect((await old.rpc('Presence', { name: CHANNEL })).status).toBe(200);
    expect(await old.exited()).toMatchObject({ code: 0 });
    const fresh = await start(Number(new URL(old.url).port));
    nodes[index] = fresh;
    expect((await manifestOf(fresh.url)).boot_id).not.toBe(boot_id);
    await eventually('it is ready', async () => (await readiness(fresh.url)).status === 200, WAIT_MS);
  }
  isOver = true;
  await publishing;
  expect(refused).toEqual([]);
  expect(sent).toBeGreaterThan(50);
  const all = Array.from({ length: sent }, (_, i) => i + 1);
  for (const { publications, unrecovered } of clients) {
    await eventually('everything arrived', () => publications.length >= sent, WAIT_MS);
    expect(publications.map(({ data }) => data)).toEqual(all);
    expect(unrecovered).toEqual([]);
  }
}, 180_000);

test('metrics tell what the store costs, and stay readable while it is away', async () => {
  const [node] = nodes;
  const url = node?.url ?? '';
  const up = await scrape(url);
  const states = up.samples('msg_subsystem_up').map(({ labels, value }) => [labels['subsystem'], value]);
  expect(Object.fromEntries(states)).toEqual({ broker: 1, store: 1, delivery: 1, messages: 1 });
  expect(up.value('msg_store_command_duration_seconds_count', { command: 'EVALSHA' })).toBeGreaterThan(0);
  expect(up.value('msg_keyring_backend', { backend: 'redis' })).toBe(1);
  await redis.kill();
  await eventually(
    'the store is seen to be away',
    async () => (await scrape(url)).value('msg_subsystem_up', { subsystem: 'store' }) === 0,
    WAIT_MS,
  );
  await rpcOf(url, node?.token)('Publish', { name: CHANNEL, data: '' });
  const down = await scrape(url);
  expect(down.value('msg_store_command_failures_total')).toBeGreaterThan(0);
  expect(down.samples('msg_channels_active')).toEqual([]);
  expect(down.value('msg_rpc_requests_total')).toBeGreaterThan(0);
  await redis.restart();
}, 120_000);
