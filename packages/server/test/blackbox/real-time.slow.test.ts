import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Envelope } from '@msg/core';
import { eventually, RawClient } from '@msg/testkit';
import { expect, type TestContext, test } from 'vitest';
import { temporaryFolder } from '../support/folders.ts';
import { newId, nowSeconds, TestKey, writeKeyring } from '../support/minting.ts';
import { rpcOf } from '../support/rpc.ts';
import { startServer } from '../support/server.ts';
import { received, stockClient } from '../support/stock-client.ts';

// Each case waits half a minute of real time, so they wait beside each other.

const HOUR = 3_600_000;
const WAIT_MS = 60_000;
const LIVE = 'public:shop.live';
const payload = Buffer.from('{"n":1}').toString('base64');

/** A server whose wall clock can be set. */
async function start(context: TestContext) {
  const folder = await temporaryFolder(context);
  const clockFile = join(folder, 'clock');
  const key = new TestKey();
  await writeKeyring(join(folder, 'state'), key);
  const config = join(folder, 'msg.yaml');
  await writeFile(
    config,
    'manager: { sweep_interval: 100ms }\nrate_limits: { publish: { rate: 3, per: 20s } }\n',
  );
  const preload = new URL('../support/jumping-clock.mjs', import.meta.url).href;
  const server = await startServer({
    args: ['--state-dir', join(folder, 'state'), '--config', config],
    env: { NODE_OPTIONS: `--import ${preload}`, TEST_CLOCK_FILE: clockFile },
  });
  // What a token claims is compared with the wall clock: these are good two hours ago and for two hours more.
  const now = nowSeconds();
  const callerAs = (sub: string) =>
    rpcOf(server.url, key.sign({ sub, typ: 'mgmt', iat: now - 7200, exp: now + 7200, jti: newId() }));
  /** Sets the wall clock that far off, and waits until the manifest tells. */
  async function setClock(ms: number): Promise<void> {
    await writeFile(clockFile, String(ms));
    server.kill('SIGUSR2');
    await eventually('the clock is set', async () => {
      const { generated_at } = (await (await fetch(`${server.url}/manifest`)).json()) as Envelope<object>;
      return Math.abs(Date.parse(generated_at) - Date.now() - ms) < HOUR / 2;
    });
  }
  return { server, setClock, publisher: callerAs('publisher'), operator: callerAs('operator') };
}

test.concurrent('a wall clock that is set back an hour, and forward two, changes nothing', {
  timeout: 180_000,
}, async context => {
  const { onTestFinished } = context;
  const running = await start(context);
  onTestFinished(() => running.server.stop());
  const { server, setClock, publisher, operator } = running;
  const stateOf = async (name: string): Promise<string> => {
    const { channel } = (await operator('GetChannel', { name })).body as { channel: { state: string } };
    return channel.state;
  };
  await operator('OpenPublic', { name: LIVE, ttlSeconds: 1800 });
  const client = stockClient(server.websocketUrl);
  onTestFinished(() => client.disconnect());
  const interruptions: string[] = [];
  client.on('disconnected', ({ reason }) => interruptions.push(reason));
  client.on('connecting', ({ code, reason }) => code !== 0 && interruptions.push(reason));
  const subscription = client.newSubscription(LIVE);
  const publications = received(subscription);
  subscription.subscribe();
  client.connect();
  await subscription.ready(WAIT_MS);
  const silent = await RawClient.connected(server.websocketUrl);

  const publish = async () => (await publisher('Publish', { name: LIVE, data: payload })).status;
  /** Three are accepted in 20 s, whatever the wall clock does meanwhile. */
  const exhaust = async (ms: number) => {
    expect([await publish(), await publish()]).toEqual([200, 200]);
    await setClock(ms);
    expect([await publish(), await publish()]).toEqual([200, 429]);
  };

  // Back: a channel with a short life still ends, a limit still frees, and who answers no ping still goes.
  await operator('OpenPublic', { name: 'public:shop.short', ttlSeconds: 5 });
  await exhaust(-HOUR);
  await eventually('what was published arrives', () => publications.length === 3, WAIT_MS);
  await eventually(
    'the short channel is closed',
    async () => (await stateOf('public:shop.short')) === 'closed',
    WAIT_MS,
  );
  await silent.ping(WAIT_MS);
  expect((await silent.closed(WAIT_MS)).code).toBe(3012);

  // Forward: no channel is closed by the sweeps, and the limit forgets nothing.
  await exhaust(HOUR);
  await eventually('that arrives too', () => publications.length === 6, WAIT_MS);
  await operator('OpenPublic', { name: 'public:shop.swept', ttlSeconds: 1 });
  await eventually('sweeps go on', async () => (await stateOf('public:shop.swept')) === 'closed', WAIT_MS);
  expect(await stateOf(LIVE)).toBe('open');
  expect(interruptions).toEqual([]);
  expect(client.state).toBe('connected');
});

/** The grace of 25 s and the tick that looks at it are fixed; this test waits for them once. */
test.concurrent('without a refresh the connection ends with 3005, the subscription with 2501', {
  timeout: 90_000,
}, async context => {
  const key = new TestKey();
  const stateDir = await temporaryFolder(context);
  await writeKeyring(stateDir, key);
  const server = await startServer({ args: ['--state-dir', stateDir] });
  try {
    const name = 'private:shop.overdue.1';
    await rpcOf(server.url, server.token)('CreatePrivate', { name, ttlSeconds: 3600 });
    const start = performance.now();
    const token = key.access(2, { chs: [name] });
    const withToken = await RawClient.connected(server.websocketUrl, { connect: { token } });
    const withSubscription = await RawClient.connected(server.websocketUrl);
    await withSubscription.request({ subscribe: { channel: name, token } });
    const pongs = setInterval(() => {
      for (const client of [withToken, withSubscription]) {
        const ping = client.received.find(({ id, push }) => id === 0 && push === null);
        if (ping !== undefined) void client.ping().then(() => client.pong());
      }
    }, 100);
    try {
      expect((await withToken.closed(40_000)).code).toBe(3005);
      expect(performance.now() - start).toBeGreaterThan(25_000);
      const push = await withSubscription.push(({ unsubscribe }) => unsubscribe !== null, 40_000);
      expect(push.unsubscribe?.code).toBe(2501);
      expect(performance.now() - start).toBeGreaterThan(25_000);
    } finally {
      clearInterval(pongs);
    }
    await withSubscription.close();
  } finally {
    await server.stop();
  }
});

/** Without a setting `serve` sweeps every 30 s; this test waits for one such sweep. */
test.concurrent('idle channels at the sweep: public ones close and reopen, private ones are gone and can be created again', {
  timeout: 60_000,
}, async ({ onTestFinished }) => {
  const server = await startServer();
  try {
    const rpc = rpcOf(server.url, server.token);
    const [open, gone] = ['public:shop.idle', 'private:shop.idle.1'];
    await rpc('OpenPublic', { name: open, ttlSeconds: 1 });
    await rpc('Publish', { name: open, data: '1' });
    const created = await rpc('CreatePrivate', { name: gone, ttlSeconds: 1 });
    const client = stockClient(server.websocketUrl, { token: String(created.body['access_token']) });
    onTestFinished(() => client.disconnect());
    const publicSubscription = client.newSubscription(open);
    const privateSubscription = client.newSubscription(gone);
    const kicked: number[] = [];
    privateSubscription.on('unsubscribed', ({ code }) => kicked.push(code));
    const publications = received(publicSubscription);
    publicSubscription.subscribe();
    privateSubscription.subscribe();
    client.connect();
    await Promise.all([publicSubscription.ready(60_000), privateSubscription.ready(60_000)]);

    const state = async () =>
      (await rpc('GetChannel', { name: open })).body as { channel: { state: string } };
    await eventually('the sweep', async () => (await state()).channel.state === 'closed');
    await eventually('the kick', () => kicked.length > 0);
    expect(kicked).toEqual([2000]);
    expect((await rpc('GetChannel', { name: gone })).status).toBe(404);
    expect((await rpc('CreatePrivate', { name: gone })).status).toBe(200);

    const refused = await rpc('Publish', { name: open, data: '2' });
    expect([refused.status, refused.code]).toEqual([412, 'MSG_CHANNEL_CLOSED']);
    const { channels } = (await rpc('ListChannels', {})).body as {
      channels: { name: string; state: string }[];
    };
    expect(channels).toContainEqual(expect.objectContaining({ name: open, state: 'closed' }));
    const late = stockClient(server.websocketUrl).newSubscription(open);
    expect(late.state).toBe('unsubscribed');

    expect((await rpc('OpenPublic', { name: open })).status).toBe(200);
    expect((await rpc('Publish', { name: open, data: '3' })).body['offset']).toBe(2);
    await eventually('subscribers stayed attached', () => publications.some(({ offset }) => offset === 2));
  } finally {
    await server.stop();
  }
});
