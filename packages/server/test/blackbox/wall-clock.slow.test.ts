import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Envelope } from '@msg/core';
import { eventually, RawClient } from '@msg/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../support/folders.ts';
import { newId, nowSeconds, TestKey, writeKeyring } from '../support/minting.ts';
import { rpcOf } from '../support/rpc.ts';
import { startServer } from '../support/server.ts';
import { closeClients, received, stockClient } from '../support/stock-client.ts';

const HOUR = 3_600_000;
const WAIT_MS = 60_000;
const LIVE = 'public:shop.live';
const payload = Buffer.from('{"n":1}').toString('base64');

/** A server whose wall clock can be set. */
async function start() {
  const folder = await temporaryFolder();
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

test('a wall clock that is set back an hour, and forward two, changes nothing', {
  timeout: 180_000,
}, async () => {
  const running = await start();
  onTestFinished(async () => {
    closeClients();
    await running.server.stop();
  });
  const { server, setClock, publisher, operator } = running;
  const stateOf = async (name: string): Promise<string> => {
    const { channel } = (await operator('GetChannel', { name })).body as { channel: { state: string } };
    return channel.state;
  };
  await operator('OpenPublic', { name: LIVE, ttlSeconds: 1800 });
  const client = stockClient(server.websocketUrl);
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
