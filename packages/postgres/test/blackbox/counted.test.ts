import { createRpcClient, type RpcClient } from '@msg/core';
import { Msg } from '@msg/server';
import { eventually } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OutboxDatabase } from '../support/database.ts';

const WITHOUT_HISTORY = 'public:shop.ticker';
const ROWS = 40;

let db: OutboxDatabase;
let redis: RedisServer;
let msg: Msg;
let rpc: RpcClient;
let server: string;
beforeAll(async () => {
  [db, redis] = await Promise.all([OutboxDatabase.start(), RedisServer.start()]);
  msg = await Msg.start({
    listen: { port: 0 },
    redis: { address: redis.address },
    channels: { rules: [{ pattern: WITHOUT_HISTORY, historySize: 0 }] },
    outbox: { url: db.url('admin'), openChannels: 'auto', pollIntervalMs: 20, waitForChannelMs: 1 },
  });
  server = msg.addresses[0]?.url ?? '';
  rpc = createRpcClient({ server, token: msg.tokens.issueManagement().token, fetch });
}, 120_000);
afterAll(async () => {
  await msg.stop();
  await Promise.all([db.stop(), redis.stop()]);
});

const publish = (channel: string, text: string) => db.app`SELECT msg.publish(${channel}, ${text}::text)`;
const emptied = () => eventually('the outbox is empty', async () => (await db.rows()).length === 0);

/** Value of a metric; labels as they stand in the line. */
async function metric(name: string): Promise<number | undefined> {
  const text = await (await fetch(`${server}/metrics`)).text();
  const line = text.split('\n').find(candidate => candidate.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.split(' ')[1]);
}

/** Keys of the store that remember results of idempotency keys of a channel. */
async function storedResults(channel: string): Promise<number> {
  const keys = (await redis.command('KEYS', `*.result.*${channel}*`)) as string[]; // a list of names
  return keys.length;
}

it('stores nothing for each row where the version decides, and a key where it cannot', async () => {
  for (let n = 0; n < ROWS; n++) {
    await publish('public:shop.kept', `${n}`);
    await publish(WITHOUT_HISTORY, `${n}`);
  }
  await emptied();
  const { publications } = await rpc.call('History', { name: 'public:shop.kept', limit: ROWS });
  expect(publications.map(({ data }) => data)).toEqual(Array.from({ length: ROWS }, (_, n) => `${n}`));
  expect(await storedResults('public:shop.kept')).toBe(0);
  expect(await storedResults(WITHOUT_HISTORY)).toBe(ROWS);
  expect(await metric('msg_outbox_published_total')).toBeGreaterThanOrEqual(2 * ROWS);
});

it('a row of skip_history in a channel with history has a key', async () => {
  await db.app`SELECT msg.publish('public:shop.kept', 'live'::text, skip_history => true)`;
  await emptied();
  expect(await storedResults('public:shop.kept')).toBe(1);
});

it('a version of somebody else in a channel of the outbox is counted', async () => {
  expect(await metric('msg_outbox_foreign_versions_total')).toBe(0);
  await rpc.call('OpenPublic', { name: 'public:shop.other' });
  const foreign = { data: new TextEncoder().encode('1'), version: 7, version_epoch: 'mine' };
  await rpc.call('Publish', { name: 'public:shop.other', ...foreign });
  expect(await metric('msg_outbox_foreign_versions_total')).toBe(0);
  await rpc.call('Publish', { name: 'public:shop.kept', ...foreign });
  expect(await metric('msg_outbox_foreign_versions_total')).toBe(1);
});

it('rows, their age, dead rows and the state of the database are told', async () => {
  await db.app`SELECT msg.publish('private:shop.order.1', '1'::text)`;
  await eventually(
    'it is dead',
    async () => (await metric('msg_outbox_dead_total{code="MSG_CHANNEL_NOT_FOUND"}')) === 1,
  );
  expect(await metric('msg_subsystem_up{subsystem="outbox"}')).toBe(1);
  expect(await metric('msg_outbox_lease_takeovers_total')).toBe(0);
  await db.server.kill();
  await eventually('it is away', async () => (await metric('msg_subsystem_up{subsystem="outbox"}')) === 0);
  expect((await fetch(`${server}/readyz`)).status).toBe(200);
  await db.server.restart();
  await eventually('it is back', async () => (await metric('msg_subsystem_up{subsystem="outbox"}')) === 1);
  await eventually(
    'the dead row is counted',
    async () => (await metric('msg_outbox_dead_rows')) === 1,
    60_000,
  );
  expect(await metric('msg_outbox_rows')).toBe(0);
  expect(await metric('msg_outbox_oldest_seconds')).toBe(0);
}, 120_000);
