import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@msg/testkit';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { MsgClient } from '#src/index.ts';
import { type Service, startService } from './service.ts';

const NAME = 'public:shop.chat.7';
const TEXT = 'the answer begins with a sentence that is long enough for a patch '.repeat(4);

let service: Service;
let client: MsgClient;
let folder: string;

afterEach(async () => {
  client.disconnect();
  await service.stop();
  await rm(folder, { recursive: true });
});

/** A service whose channels have this option, and a client of it. */
async function start(option: string): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'deltas-'));
  const config = join(folder, 'msg.yaml');
  const channels = `{ rules: [{ pattern: "public:shop.**", ${option}: true }], open: [{ pattern: "public:shop.**" }] }`;
  await writeFile(config, `channels: ${channels}\n`);
  service = await startService({ args: ['--config', config] });
  client = new MsgClient({ endpoint: service.url, centrifugeOptions: { websocket: WebSocket } });
}

/** Four publications that a patch makes short; answers how many of them came as one. */
async function patches(
  publish: (n: number) => Promise<unknown>,
  subscription = client.newSubscription(NAME),
): Promise<number> {
  let received = 0;
  subscription.on('publication', () => received++);
  subscription.subscribe();
  await client.connect();
  await subscription.ready(20_000);
  for (let n = 1; n <= 4; n++) {
    await publish(n);
    await eventually('it arrives', () => received >= n);
  }
  return subscription.deltaStats().numDeltaPayloads;
}

const append = (n: number) =>
  service.call('Append', { name: NAME, message: 'm', producer: 'p', seq: n, text: TEXT });
const publish = (n: number) =>
  service.call('Publish', {
    name: NAME,
    data: Buffer.from(JSON.stringify({ text: TEXT, n })).toString('base64'),
  });

test('a subscription asks for deltas by itself, before the connection and after it, unless it has a filter', async () => {
  await start('append');
  expect(await patches(append)).toBe(3);
  const other = client.newSubscription('public:shop.chat.8');
  other.subscribe();
  await other.ready(20_000);
  const state = { name: 'public:shop.chat.8', message: 'm', producer: 'p' };
  for (const seq of [1, 2]) {
    const received = new Promise(resolve => other.once('publication', resolve));
    await service.call('Append', { ...state, seq, text: TEXT });
    await received;
  }
  expect(other.deltaStats().numDeltaPayloads).toBe(1);
  const tagsFilter = { key: 'msg-status', cmp: 'ex' as const };
  expect(() => client.newSubscription('public:shop.chat.9', { tagsFilter })).not.toThrow();
});

test('it does not where the manifest has no append streams', async () => {
  await start('delta');
  await client.connect();
  expect(await patches(publish)).toBe(0);
});

test('it does not where the application says so', async () => {
  await start('append');
  expect(await patches(append, client.newSubscription(NAME, { delta: undefined as never }))).toBe(0);
});
