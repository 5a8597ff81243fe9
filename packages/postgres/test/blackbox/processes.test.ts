import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createRpcClient, type RpcClient } from '@msg/core';
import { Msg } from '@msg/server';
import { eventually } from '@msg/testkit';
import { PoolingProxy } from '@msg/testkit/postgres';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { connectPostgres, OutboxWorker } from '#src/index.ts';
import { OutboxDatabase } from '../support/database.ts';

const PROGRAM = join(import.meta.dirname, '../support/worker-program.ts');
const FLAGS = ['--conditions=msg-source', '--disable-warning=ExperimentalWarning'];
const CHANNELS = ['public:shop.a', 'public:shop.b'];
const PAGE = 200;

let db: OutboxDatabase;
let msg: Msg;
let rpc: RpcClient;
let token: string;
const ends: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  db = await OutboxDatabase.start();
  msg = await Msg.start({
    listen: { port: 0 },
    channels: { rules: [{ pattern: 'public:shop.**', historySize: 10_000 }] },
  });
  ({ token } = msg.tokens.issueManagement());
  rpc = createRpcClient({ server: urlOf(msg), token, fetch });
}, 120_000);
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  await db.clear();
});
afterAll(async () => {
  await msg.stop();
  await db.stop();
});

const urlOf = (service: Msg): string => service.addresses[0]?.url ?? '';
const textsTo = (count: number) => Array.from({ length: count }, (_, n) => `${n}`);
const emptied = () => eventually('the outbox is empty', async () => (await db.rows()).length === 0, 60_000);

/** Opens the channels anew and publishes the texts into each. */
async function publish(channels: readonly string[], texts: readonly string[]): Promise<void> {
  for (const channel of channels) {
    await msg.channels.openPublic(channel);
    const rows = "SELECT count(msg.publish($1::text, t)) FROM unnest(string_to_array($2::text, ',')) t";
    await db.app.unsafe(rows, [channel, texts.join(',')]);
  }
}

async function streamOf(name: string): Promise<readonly string[]> {
  const texts: string[] = [];
  for (let from = 0; ; ) {
    const page = await rpc.call('History', { name, limit: PAGE, from_offset: from });
    texts.push(...page.publications.map(({ data }) => data));
    if (!page.more) return texts;
    from = (page.publications.at(-1)?.offset ?? 0) + 1;
  }
}

function startProgram(): ChildProcess {
  const child = spawn(process.execPath, [...FLAGS, PROGRAM, db.url('admin'), urlOf(msg), token], {
    stdio: 'ignore',
  });
  const closed = new Promise(resolve => child.once('close', resolve));
  ends.push(() => {
    child.kill('SIGKILL');
    return closed;
  });
  return child;
}

/** Partitions that a worker holds while the database runs no statement that may free them. */
async function heldPartitions(): Promise<number> {
  const rows = await db.sql.unsafe(`SELECT FROM msg.outbox_partition WHERE owner IS NOT NULL AND NOT EXISTS (
    SELECT FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND state <> 'idle' AND query LIKE '%outbox_%')`);
  return rows.length;
}

/** Stops a process at a moment at which it holds leases; answers their number. */
async function stopWithLeases(child: ChildProcess): Promise<number> {
  let held = 0;
  await eventually('a lease is held by a process that stands still', async () => {
    child.kill('SIGSTOP');
    if ((await heldPartitions()) > 0) held = await heldPartitions();
    if (held > 0) return true;
    child.kill('SIGCONT');
    return false;
  });
  return held;
}

it('a worker that is stopped past its lease repeats nothing and reorders nothing', async () => {
  const texts = textsTo(300);
  await publish(CHANNELS, texts);
  const child = startProgram();
  await eventually('it works', async () => (await db.rows()).length < 600);
  const held = await stopWithLeases(child);
  const other = new OutboxWorker({ sql: db.sql, msg, pollIntervalMs: 50 });
  ends.push(() => other.stop());
  other.start();
  await emptied();
  expect(other.stats().takeovers).toBe(held);
  child.kill('SIGCONT');
  await publish(CHANNELS, ['last']);
  await emptied();
  for (const channel of CHANNELS) expect(await streamOf(channel)).toEqual([...texts, 'last']);
}, 120_000);

it('works through a proxy that gives each transaction another connection', async () => {
  const proxy = await PoolingProxy.start(db.server);
  ends.push(() => proxy.stop());
  const sql = await connectPostgres({ url: db.url('admin', proxy.port) });
  ends.push(() => sql.end({ timeout: 0 }));
  const channels = ['public:shop.c', 'public:shop.d'];
  const texts = textsTo(300);
  await publish(channels, texts);
  for (let n = 0; n < 2; n++) {
    const worker = new OutboxWorker({ sql, msg, workers: 2, batch: 7, pollIntervalMs: 50 });
    ends.push(() => worker.stop());
    worker.start();
  }
  await emptied();
  for (const channel of channels) expect(await streamOf(channel)).toEqual(texts);
}, 120_000);
