import { systemClock } from '@msg/foundation/clock';
import { freePort } from '@msg/testkit';
import { PostgresServer } from '@msg/testkit/postgres';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { DatabaseSession } from '#src/database/session.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start();
}, 120_000);
afterAll(() => server.stop());

const CONNECTIONS = 2;

async function session(ports: readonly number[], ssl: false | 'require' = false): Promise<DatabaseSession> {
  const hosts = ports.map(port => `127.0.0.1:${port}`).join(',');
  const sql = postgres(`postgres://admin:${server.password}@${hosts}/shop`, { ssl });
  const opened = await DatabaseSession.open(sql, systemClock, CONNECTIONS);
  onTestFinished(async () => {
    await opened.close();
    await sql.end({ timeout: 0 });
  });
  return opened;
}

const answer = (opened: DatabaseSession) => opened.query('SELECT 1::int AS one');

it.each([
  ['without', false],
  ['with', 'require'],
] as const)('each attempt at a refused port is told, %s TLS', async (_, ssl) => {
  const opened = await session([await freePort()], ssl);
  // More than there are connections.
  for (let attempt = 0; attempt <= 2 * CONNECTIONS; attempt++)
    await expect(answer(opened)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

it('a server that comes back is found by the connections that it had refused', async () => {
  const opened = await session([server.port]);
  expect(await answer(opened)).toEqual([{ one: 1 }]);
  await server.kill();
  const refusals = Array.from({ length: 2 * CONNECTIONS }, () => answer(opened));
  for (const refusal of await Promise.allSettled(refusals)) expect(refusal.status).toBe('rejected');
  await expect(answer(opened)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await server.restart();
  expect(await answer(opened)).toEqual([{ one: 1 }]);
});

it('of several servers the ones that refuse are passed over; when all refuse, that is told', async () => {
  const [first, second] = [await freePort(), await freePort()];
  const opened = await session([first, second, server.port]);
  expect(await answer(opened)).toEqual([{ one: 1 }]);
  const without = await session([first, second]);
  for (let attempt = 0; attempt <= 2 * CONNECTIONS; attempt++)
    await expect(answer(without)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
