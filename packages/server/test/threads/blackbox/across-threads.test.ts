import { eventually, RawClient } from '@msg/testkit';
import { Centrifuge } from 'centrifuge';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { rpcOf } from '../../support/rpc.ts';
import { closeClients, disconnected, follow, received, stockClient } from '../../support/stock-client.ts';
import { type FaultyServer, startFaultyServer } from '../../support/threads.ts';

const THREADS = 3;
const WAIT_MS = 60_000;

let server: FaultyServer;
let rpc: ReturnType<typeof rpcOf>;
beforeAll(async () => {
  server = await startFaultyServer({ args: ['--threads', String(THREADS)] });
  rpc = rpcOf(server.url, server.token);
});
afterEach(closeClients);
afterAll(() => server.stop());

/** As {@link rpc}, on a connection of its own, so that it goes to any thread. */
async function elsewhere(method: string, request: object, bearer = server.token) {
  const response = await fetch(`${server.url}/twirp/msg.MsgService/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}`, connection: 'close' },
    body: JSON.stringify(request),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function subscriptionsOfThreads(): Promise<number[]> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return Array.from(text.matchAll(/^msg_thread_subscriptions\{thread="\d+"\} (\d+)$/gm), ([, count]) =>
    Number(count),
  );
}

test('http_stream clients subscribe, receive and publish, whichever thread gets their commands', async () => {
  const name = 'private:threads.room.1';
  const { body } = await rpc('CreatePrivate', { name, ttl_seconds: 600, subject: 'u-1' });
  const clients = Array.from({ length: 6 }, () => {
    const endpoint = `${server.url}/connection/http_stream`;
    const client = new Centrifuge([{ transport: 'http_stream', endpoint }], {
      token: String(body['access_token']),
      emulationEndpoint: `${server.url}/emulation`,
    });
    onTestFinished(() => client.disconnect());
    client.on('error', () => {}); // the test looks at what arrives
    const subscription = client.newSubscription(name);
    const publications = received(subscription);
    subscription.subscribe();
    client.connect();
    return { subscription, publications };
  });
  for (const { subscription } of clients) await subscription.ready(WAIT_MS);
  expect((await rpc('Presence', { name })).body).toEqual({ subscribers: clients.length });
  for (const [from, { subscription }] of clients.entries()) await subscription.publish({ from });
  for (const { publications } of clients) {
    await eventually('all arrive', () => publications.length === clients.length, WAIT_MS);
    expect(publications.map(({ data }) => data.from)).toEqual([0, 1, 2, 3, 4, 5]);
  }
});

test('a client that comes back to any thread recovers what was published meanwhile', async () => {
  const name = 'public:threads.recovery';
  await rpc('OpenPublic', { name });
  for (let round = 0; round < 6; round++) {
    const client = stockClient(server.websocketUrl);
    const { subscription } = await follow(client, name);
    const publications = received(subscription);
    client.disconnect();
    expect(
      (await elsewhere('Publish', { name, data: Buffer.from(`{"n":${round}}`).toString('base64') })).status,
    ).toBe(200);
    const back = new Promise<boolean>(resolve =>
      subscription.on('subscribed', ({ recovered }) => resolve(recovered)),
    );
    client.connect();
    expect(await back).toBe(true);
    await eventually('what was missed', () => publications.length === 1);
    expect(publications[0]?.data).toEqual({ n: round });
    client.disconnect();
  }
});

test('what one thread has answered as done is true for the next request to another one', async () => {
  for (let round = 0; round < 60; round++) {
    const name = `public:threads.truth.${round}`;
    expect((await elsewhere('OpenPublic', { name })).status).toBe(200);
    expect((await elsewhere('Publish', { name, data: '' })).status).toBe(200);
    expect((await elsewhere('DeleteChannel', { name })).status).toBe(200);
    expect((await elsewhere('Publish', { name, data: '' })).status).toBe(404);
  }
});

test('a token that was revoked on one thread opens nothing on another, and ends the connections of all', async () => {
  const name = 'private:threads.room.2';
  const { body } = await rpc('CreatePrivate', { name, ttl_seconds: 600, subject: 'ann' });
  const token = String(body['access_token']);
  await Promise.all(
    Array.from({ length: 6 }, () => follow(stockClient(server.websocketUrl, { token }), name)),
  );
  expect((await rpc('Presence', { name })).body).toEqual({ subscribers: 6 });
  const [, payload = ''] = token.split('.');
  const { jti } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { jti: string };
  expect((await elsewhere('RevokeToken', { token_id: jti })).status).toBe(200);
  for (let request = 0; request < 6; request++)
    expect((await elsewhere('Presence', { name }, token)).status).not.toBe(200);
  await eventually('all have lost it', async () => {
    const { body: count } = await rpc('Presence', { name });
    return count['subscribers'] === 0;
  });
});

test('an operator disconnects a user on all threads', async () => {
  const name = 'private:threads.room.3';
  const { body } = await rpc('CreatePrivate', { name, ttl_seconds: 600, subject: 'eve' });
  const token = String(body['access_token']);
  const gone: Promise<unknown>[] = [];
  // The thread with the fewest connections gets the next one, and those of earlier tests still leave: more come until each
  // thread has some.
  for (let counts: number[] = []; counts.length < THREADS || counts.includes(0); ) {
    const client = stockClient(server.websocketUrl, { token });
    gone.push(disconnected(client));
    await follow(client, name);
    expect(gone.length).toBeLessThan(60);
    await eventually('all are counted', async () => {
      counts = await subscriptionsOfThreads();
      return counts.reduce((sum, count) => sum + count, 0) === gone.length;
    });
  }
  const { body: list } = await rpc('ListConnections', { user: 'eve' });
  const connections = list['connections'] as { node: string }[];
  expect(connections).toHaveLength(gone.length);
  // To operators the process is one node.
  expect(new Set(connections.map(({ node }) => node)).size).toBe(1);
  const { nodes } = (await rpc('ListNodes', {})).body as { nodes: { id: string; connections: number }[] };
  expect(nodes).toHaveLength(1);
  expect(nodes[0]?.id).toBe(connections[0]?.node);
  expect(nodes[0]?.connections).toBeGreaterThanOrEqual(gone.length);
  expect((await elsewhere('Disconnect', { user: 'eve' })).status).toBe(200);
  await Promise.all(gone);
});

test('SIGHUP reloads, /readyz counts the threads, and records say which thread wrote them', async () => {
  const ready = await (await fetch(`${server.url}/readyz`)).json();
  expect(ready).toMatchObject({ ready: true, subsystems: { threads: { ok: true, detail: '3 of 3' } } });
  server.kill('SIGHUP');
  await eventually('the keyring was looked at', () =>
    /keyring (?:could not be )?reloaded/.test(server.output().stderr),
  );
  const records = server
    .output()
    .stderr.split('\n')
    .filter(line => line.includes('"http_request"'));
  const threads = new Set(records.map(line => (JSON.parse(line) as { thread: number }).thread));
  expect([...threads].sort()).toEqual([1, 2, 3]);
});

test('several publications of one request keep their order, and come to a client of any thread in few writes', async () => {
  const name = 'public:threads.several';
  const COUNT = 300;
  await rpc('OpenPublic', { name, ttl_seconds: 600 });
  const sockets = await Promise.all(
    Array.from({ length: THREADS }, async () => {
      const socket = await RawClient.open(server.websocketUrl);
      onTestFinished(() => socket.websocket.terminate());
      await socket.request({ connect: {} });
      await socket.request({ subscribe: { channel: name } });
      const frames: string[] = [];
      socket.websocket.addEventListener('message', ({ data }) => frames.push(String(data)));
      return frames;
    }),
  );
  const items = Array.from({ length: COUNT }, (_, n) => ({
    name,
    data: Buffer.from(JSON.stringify({ n })).toString('base64'),
  }));
  const { body } = await elsewhere('PublishMany', { items });
  const results = body['results'] as { readonly offset: number }[];
  expect(results.map(({ offset }) => offset)).toEqual(items.map((_, index) => index + 1));
  for (const frames of sockets) {
    const numbers = (): number[] =>
      Array.from(frames.join('\n').matchAll(/"data":\{"n":(\d+)\}/g), ([, n]) => Number(n));
    await eventually('all arrive', () => numbers().length >= COUNT, WAIT_MS);
    expect(numbers()).toEqual(items.map((_, index) => index));
    expect(frames.length).toBeLessThan(COUNT / 2);
  }
});
