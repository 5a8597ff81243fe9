// The programs of docs/state-that-fits.md, as they stand there.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRpcClient, type RpcClient } from '@msg/core';
import { Msg } from '@msg/server';
import { eventually } from '@msg/testkit';
import postgres, { type Sql } from 'postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { blocksOf, ROOT, readPage } from '../../../../test/support/pages.ts';
import { OutboxDatabase } from '../support/database.ts';

interface Order {
  readonly id: number;
  readonly step: string;
  readonly revision: number;
}

interface Programs {
  setStep(sql: Sql, id: number, step: string): Promise<void>;
  readState(msg: RpcClient, sql: Sql): Promise<{ readonly orders: readonly Order[] }>;
  follow(
    endpoint: string,
    state: () => Promise<object>,
  ): { readonly client: { disconnect(): void }; readonly shown: ReadonlyMap<number, Order> };
}

const FILES = ['write.ts', 'state.ts', 'follow.ts'];

let db: OutboxDatabase;
let msg: Msg;
let sql: Sql;
let folder: string;
let programs: Programs;
beforeAll(async () => {
  db = await OutboxDatabase.start();
  msg = await Msg.start({
    listen: { port: 0 },
    channels: { open: [{ name: 'public:shop.orders', ttlMs: Infinity }] },
    outbox: { url: db.url('admin'), pollIntervalMs: 20 },
  });
  sql = postgres(db.url('admin'), { fetch_types: false, onnotice: () => undefined });
  await sql`DROP TABLE orders`;
  await sql`CREATE TABLE orders (id int PRIMARY KEY, step text, revision int)`;
  await sql`INSERT INTO orders SELECT id, 'placed', 1 FROM generate_series(1, 20) AS id`;
  // Programs of a page find the packages as anything below the repository does.
  mkdirSync(join(ROOT, '.tmp'), { recursive: true });
  folder = mkdtempSync(join(ROOT, '.tmp/state-page-'));
  const blocks = blocksOf(readPage('docs/state-that-fits.md'));
  for (const name of FILES)
    writeFileSync(join(folder, name), blocks.find(({ words }) => words[0] === name)?.text ?? '');
  const modules = await Promise.all(FILES.map(name => import(join(folder, name)) as Promise<object>));
  programs = Object.assign({}, ...modules) as Programs; // what the page exports
}, 120_000);
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await msg.stop();
  await sql.end({ timeout: 1 });
  await db.stop();
});

it('a page that follows has what the database has, whenever it came', async () => {
  const url = msg.addresses[0]?.url ?? '';
  const rpc = createRpcClient({ server: url, token: msg.tokens.issueManagement().token, fetch });
  const endpoint = `${url.replace('http', 'ws')}/connection/websocket`;
  const followers: ReturnType<Programs['follow']>[] = [];
  for (let n = 0; n < 100; n++) {
    if (n % 10 === 0) followers.push(programs.follow(endpoint, () => programs.readState(rpc, sql)));
    await programs.setStep(sql, 1 + (n % 20), `step ${n}`);
  }
  const { orders } = await programs.readState(rpc, sql);
  const all = new Map(orders.map(order => [order.id, order]));
  await eventually('every page has it', () =>
    followers.every(({ shown }) => orders.every(({ id, revision }) => shown.get(id)?.revision === revision)),
  );
  for (const { client, shown } of followers) {
    expect(new Map([...shown].sort(([a], [b]) => a - b))).toEqual(
      new Map([...all].sort(([a], [b]) => a - b)),
    );
    client.disconnect();
  }
  expect(orders.filter(({ revision }) => revision !== 6)).toEqual([]);
});
