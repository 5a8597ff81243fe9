import { createRpcClient } from '@msg/core';
import { Msg } from '@msg/server';
import { eventually } from '@msg/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OutboxDatabase } from '../support/database.ts';

let db: OutboxDatabase;
beforeAll(async () => {
  db = await OutboxDatabase.start();
}, 120_000);
afterAll(() => db.stop());

it('a service consumes the outbox of its options, and /readyz tells of it', async () => {
  await using msg = await Msg.start({
    listen: { port: 0 },
    outbox: { url: db.url('admin'), openChannels: 'auto', pollIntervalMs: 20 },
  });
  const server = msg.addresses[0]?.url ?? '';
  await db.app`SELECT msg.publish('public:shop.a', '1'::text)`;
  await eventually('the outbox is empty', async () => (await db.rows()).length === 0);
  const rpc = createRpcClient({ server, token: msg.tokens.issueManagement().token, fetch });
  const { publications } = await rpc.call('History', { name: 'public:shop.a' });
  expect(publications.map(({ data }) => data)).toEqual(['1']);
  await db.server.kill();
  const readiness = async () => (await fetch(`${server}/readyz`)).json() as Promise<unknown>;
  await eventually('the failure is told', async () =>
    JSON.stringify(await readiness()).includes('waiting for the database'),
  );
  expect((await fetch(`${server}/readyz`)).status).toBe(200);
  expect(JSON.stringify(await readiness())).not.toContain('127.0.0.1');
  await db.server.restart();
});
