import { eventually, RoundRobinProxy } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { Centrifuge } from 'centrifuge';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type ClusterNode, startNode } from '../../support/cluster.ts';
import { rpcOf } from '../../support/rpc.ts';
import { closeClients, disconnected, follow, received, stockClient } from '../../support/stock-client.ts';

const WAIT_MS = 60_000;

let redis: RedisServer;
let proxy: RoundRobinProxy;
/** Two with three threads, one with one. */
let nodes: readonly ClusterNode[];
beforeAll(async () => {
  redis = await RedisServer.start();
  nodes = await Promise.all(
    ['3', '3', '1'].map(threads => startNode(redis.address, 'mixed', { args: ['--threads', threads] })),
  );
  proxy = await RoundRobinProxy.start(nodes.map(({ url }) => url));
});
afterEach(closeClients);
afterAll(async () => {
  await proxy.stop();
  await Promise.all(nodes.map(node => node.stop()));
  await redis.stop();
});

const token = (): string => nodes[0]?.token ?? '';
const rpc = (method: string, request: object) => rpcOf(proxy.url, token())(method, request);

test('processes with several threads and with one are one service, and each is one node to operators', async () => {
  const name = 'private:mixed.room.1';
  const { body } = await rpc('CreatePrivate', { name, ttl_seconds: 600, subject: 'ada' });
  const access = String(body['access_token']);
  const websocketUrl = `${proxy.url.replace('http', 'ws')}/connection/websocket`;
  const readers = await Promise.all(
    Array.from({ length: 18 }, async () => {
      const client = stockClient(websocketUrl, { token: access });
      const { subscription } = await follow(client, name);
      return { gone: disconnected(client), publications: received(subscription) };
    }),
  );
  for (let n = 0; n < 30; n++) {
    const data = Buffer.from(`{"n":${n}}`).toString('base64');
    expect((await rpc('Publish', { name, data })).status).toBe(200);
  }
  for (const { publications } of readers) {
    await eventually('all arrive', () => publications.length === 30, WAIT_MS);
    expect(publications.map(({ data }) => data.n)).toEqual(Array.from({ length: 30 }, (_, n) => n));
  }
  // Whichever process and thread is asked.
  for (let request = 0; request < 9; request++) {
    expect((await rpc('Presence', { name })).body).toEqual({ subscribers: readers.length });
    const { body: listed } = await rpc('ListNodes', {});
    const rows = listed['nodes'] as { id: string; connections: number }[];
    expect(rows).toHaveLength(nodes.length);
    expect(listed['missing_nodes']).toEqual([]);
    expect(rows.every(({ id }) => !id.includes('/'))).toBe(true);
    expect(rows.map(({ connections }) => connections).sort()).toEqual([6, 6, 6]);
    const { body: all } = await rpc('ListConnections', { user: 'ada' });
    const connections = all['connections'] as { node: string }[];
    expect(connections).toHaveLength(readers.length);
    for (const { id } of rows) {
      expect(connections.filter(({ node }) => node === id)).toHaveLength(6);
      const { body: some } = await rpc('ListConnections', { user: 'ada', node: id });
      expect(some['total']).toBe(6);
    }
  }
  expect((await rpc('Disconnect', { user: 'ada' })).body).toMatchObject({ disconnected: readers.length });
  await Promise.all(readers.map(({ gone }) => gone));
});

test('http_stream works across processes and threads', async () => {
  const name = 'public:mixed.stream';
  await rpc('OpenPublic', { name });
  const clients = Array.from({ length: 6 }, () => {
    const client = new Centrifuge(
      [{ transport: 'http_stream', endpoint: `${proxy.url}/connection/http_stream` }],
      { emulationEndpoint: `${proxy.url}/emulation` },
    );
    onTestFinished(() => client.disconnect());
    client.on('error', () => {}); // the test looks at what arrives
    const subscription = client.newSubscription(name);
    const publications = received(subscription);
    subscription.subscribe();
    client.connect();
    return { subscription, publications };
  });
  for (const { subscription } of clients) await subscription.ready(WAIT_MS);
  await rpc('Publish', { name, data: Buffer.from('7').toString('base64') });
  for (const { publications } of clients)
    await eventually('it arrives', () => publications.at(-1)?.data === 7, WAIT_MS);
});

test('what is revoked at one process is refused by every thread of the others', async () => {
  for (let round = 0; round < 5; round++) {
    const name = `private:mixed.revoked.${round}`;
    const { body } = await rpc('CreatePrivate', { name, ttl_seconds: 600, subject: 'eve' });
    const access = String(body['access_token']);
    const [, payload = ''] = access.split('.');
    const { jti } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { jti: string };
    const presence = () =>
      Promise.all(
        nodes.flatMap(({ url }) =>
          Array.from({ length: 3 }, async () => {
            const response = await fetch(`${url}/twirp/msg.MsgService/Presence`, {
              method: 'POST',
              headers: {
                'content-type': 'application/json',
                authorization: `Bearer ${access}`,
                connection: 'close',
              },
              body: JSON.stringify({ name }),
            });
            await response.text();
            return response.status;
          }),
        ),
      );
    expect(new Set(await presence())).toEqual(new Set([200]));
    expect((await rpc('RevokeToken', { token_id: jti })).status).toBe(200);
    await eventually('all refuse it', async () => !(await presence()).includes(200), WAIT_MS);
    expect(await presence()).not.toContain(200);
  }
});
