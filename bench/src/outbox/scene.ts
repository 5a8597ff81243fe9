import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRpcClient, type RpcClient } from '@msg/core';
import { connectPostgres, migrate, type OutboxConnection } from '@msg/postgres';
import { type MsgServer, startMsg } from '@msg/testkit';
import { PostgresServer } from '@msg/testkit/postgres';
import type { WorkerAnswer, WorkerQuestion } from '../servers/outbox-worker.ts';

/** Channels that rows go to, one after the other. */
export const CHANNELS: readonly string[] = Array.from(
  { length: 16 },
  (_, index) => `public:bench.outbox.c${index}`,
);

/** 256 bytes of JSON. */
export const PAYLOAD = JSON.stringify({ order: 7, note: 'x'.repeat(234) });

const CONFIG = `channels:
  rules: [{ pattern: 'public:bench.**', history_size: 100 }]
  open: [{ pattern: 'public:bench.**', ttl: never }]
`;

/** A row as `msg.publish` writes it, in a table with the same columns and indexes. */
const TABLES = `CREATE TABLE plain (LIKE msg.outbox INCLUDING ALL);
CREATE TABLE orders (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, note text NOT NULL)`;

/** PostgreSQL with an outbox, `msg serve` without one, and a worker beside them. */
export interface Scene {
  readonly url: string;
  readonly sql: OutboxConnection;
  readonly service: MsgServer;
  readonly rpc: RpcClient;
  /** The worker was told to work. */
  isWorking(): boolean;
  ask(question: WorkerQuestion): Promise<WorkerAnswer>;
  stop(): Promise<void>;
}

export async function openScene(): Promise<Scene> {
  // A commit that waits for the disk would hide what a publish adds to it.
  const settings = { fsync: 'off', max_connections: '200', shared_buffers: '512MB' };
  const postgres = await PostgresServer.start({ settings });
  const url = `postgres://admin:${postgres.password}@127.0.0.1:${postgres.port}/shop`;
  const sql = await connectPostgres({ url });
  await migrate(sql);
  postgres.sql(TABLES);
  const folder = mkdtempSync(join(tmpdir(), 'msg-bench-outbox-'));
  writeFileSync(join(folder, 'msg.yaml'), CONFIG);
  const service = await startMsg({ args: ['--config', join(folder, 'msg.yaml')] });
  const worker = await startWorker([url, service.url, service.token]);
  let isWorking = false;
  return {
    url,
    sql,
    service,
    rpc: createRpcClient({ server: service.url, token: service.token, fetch }),
    isWorking: () => isWorking,
    async ask(question) {
      isWorking = question.kind === 'work';
      const answered = once(worker, 'message');
      worker.send(question);
      const [answer] = (await answered) as [WorkerAnswer];
      return answer;
    },
    async stop() {
      worker.disconnect();
      await service.stop();
      await sql.end({ timeout: 1 });
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startWorker(args: readonly string[]): Promise<ChildProcess> {
  const program = new URL('../servers/outbox-worker.ts', import.meta.url).pathname;
  const worker = fork(program, args, { execArgv: [...process.execArgv, '--expose-gc'] });
  await once(worker, 'message');
  return worker;
}

/** Commits so many rows, spread over the channels. */
export async function fill({ sql }: Scene, rows: number): Promise<void> {
  const text = `INSERT INTO msg.outbox (partition, channel, kind, data)
    SELECT msg.outbox_partition_of(c.name), c.name, 'publish', convert_to($2::text, 'UTF8')
    FROM generate_series(0, $1::text::int - 1) n
    JOIN unnest($3::text::text[]) WITH ORDINALITY c(name, ordinal) ON c.ordinal = n % ${CHANNELS.length} + 1
    ORDER BY n`;
  await sql.unsafe(text, [String(rows), PAYLOAD, `{${CHANNELS.join(',')}}`]);
  await sql.unsafe('ANALYZE msg.outbox', []);
}
