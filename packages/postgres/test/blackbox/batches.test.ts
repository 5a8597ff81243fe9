// Several partitions in one batch: what the statements of a worker take, and what stays a matter of each partition.
import { eventually } from '@msg/testkit';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { migrate, migrations, OutboxWorker, outboxStatus } from '#src/index.ts';
import type { Settlement } from '#src/store/contract.ts';
import { DatabaseStore } from '#src/store/database-store.ts';
import { OutboxDatabase } from '../support/database.ts';
import { Service } from '../support/service.ts';

/** Each in a partition of its own. */
const CHANNELS = Array.from({ length: 6 }, (_, n) => `public:shop.c${n}`);
const [A = '', B = ''] = CHANNELS;
const [ME, OTHER] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'] as const;
const NOTHING: Settlement = { done: [], unpublished: [], failures: [], keepsLease: false };

let db: OutboxDatabase;
let store: DatabaseStore;
beforeAll(async () => {
  db = await OutboxDatabase.start();
  store = new DatabaseStore({ query: async (text, params) => db.sql.unsafe(text, params) }, 'msg');
}, 120_000);
afterEach(() => db.clear());
afterAll(() => db.stop());

const publish = (channel: string, ...texts: string[]) =>
  db.app.begin(async tx => {
    for (const text of texts) await tx`SELECT msg.publish(${channel}, ${text}::text)`;
  });
const toSink = (channel: string) =>
  db.app`SELECT msg.publish_or_sink(${channel}, '1'::jsonb, 'mail', '"ada"'::jsonb, '{}'::jsonb)`;
const expire = (channel: string) =>
  db.sql.unsafe(
    `UPDATE msg.outbox_partition SET lease_until = clock_timestamp() WHERE partition = msg.outbox_partition_of($1::text)`,
    [channel],
  );
const claimed = async (partitions: number, rows: number, bytes: number, owner: string = ME) => {
  const text = `SELECT channel, convert_from(data, 'UTF8') AS data, has_more
    FROM msg.outbox_claim_batch($1::text::uuid, '10 s', $2::text::int, $3::text::int, $4::text::bigint)`;
  return db.sql.unsafe(text, [owner, String(partitions), String(rows), String(bytes)]);
};
const channelsOf = (rows: readonly Readonly<Record<string, unknown>>[]) => [
  ...new Set(rows.map(({ channel }) => channel)),
];

describe('a claim', () => {
  it('takes several partitions, up to each of its bounds, and tells whether one ended it', async () => {
    for (const channel of CHANNELS) await publish(channel, '1', '2', '3');
    const release = () => db.sql.unsafe('UPDATE msg.outbox_partition SET owner = NULL', []);
    for (const [partitions, rows, bytes, got, more] of [
      [64, 1000, 1000, 18, false],
      [6, 1000, 1000, 18, false],
      [4, 1000, 1000, 12, true],
      [64, 7, 1000, 7, true],
      [64, 18, 1000, 18, true],
      [64, 1000, 5, 5, true],
      [1, 2, 1, 1, true],
    ] as const) {
      const batch = await claimed(partitions, rows, bytes);
      expect([partitions, rows, bytes, batch.length, batch[0]?.['has_more']]).toEqual([
        partitions,
        rows,
        bytes,
        got,
        more,
      ]);
      await release();
    }
  });

  it('reads the rows that it takes, and not the backlog behind them', async () => {
    const backlog = 20_000;
    const fill = `INSERT INTO msg.outbox (partition, channel, kind, data)
      SELECT msg.outbox_partition_of(c), c, 'publish', 'x' FROM generate_series(1, $1::text::int) n,
        LATERAL (SELECT 'public:shop.c' || n % 16 AS c) names`;
    await db.sql.unsafe(fill, [String(backlog)]);
    await db.sql.unsafe('ANALYZE msg.outbox', []);
    const client = postgres(db.url('admin'), { max: 1, fetch_types: false });
    try {
      const read = await client.begin(async tx => {
        // The plans of a worker that has claimed before. For its first batches the planner may join by merging, up to the last id.
        await tx`SET LOCAL plan_cache_mode = force_generic_plan`;
        await tx`SELECT FROM msg.outbox_claim_batch(${ME}::text::uuid, '10 s', 16, 500, 1000000)`;
        const [row] = await tx`SELECT idx_tup_fetch AS rows FROM pg_stat_xact_user_tables
          WHERE schemaname = 'msg' AND relname = 'outbox'`;
        return Number(row?.['rows']);
      });
      expect(read).toBeGreaterThanOrEqual(500);
      expect(read).toBeLessThan(backlog / 4);
    } finally {
      await client.end();
    }
  });

  it('gives every partition its turn', async () => {
    for (const channel of CHANNELS) await publish(channel, '1', '2', '3', '4');
    const seen: unknown[] = [];
    for (let turn = 0; turn < 6; turn++) {
      const batch = await claimed(64, 3, 1000);
      seen.push(...channelsOf(batch));
      await db.sql.unsafe('UPDATE msg.outbox_partition SET owner = NULL', []);
    }
    expect(new Set(seen.slice(0, 6)).size).toBe(6);
  });

  it('leaves what another worker holds, and takes it over when the lease has run out', async () => {
    await publish(A, '1');
    expect((await store.claim(ME, 500))?.rows).toHaveLength(1);
    await publish(A, '2');
    await publish(B, '3');
    const other = await store.claim(OTHER, 500);
    expect([other?.rows.map(({ channel }) => channel), other?.takeovers]).toEqual([[B], []]);
    await expire(A);
    const after = await store.claim(OTHER, 500);
    expect(after?.rows.map(({ channel }) => channel)).toEqual([A, A, B].toSorted());
    expect(after?.takeovers).toHaveLength(1);
  });

  it('takes a partition with a message for a sink alone', async () => {
    await publish(A, '1');
    await toSink(B);
    await publish(B, '2');
    await db.sql.unsafe(
      `UPDATE msg.outbox_partition SET claimed_at = clock_timestamp() WHERE partition = msg.outbox_partition_of($1::text)`,
      [B],
    );
    expect(channelsOf(await claimed(64, 500, 1000))).toEqual([A]);
    const second = await claimed(64, 500, 1000, OTHER);
    expect([channelsOf(second), second.length, second[0]?.['has_more']]).toEqual([[B], 2, true]);
  });

  it('passes over a partition whose rows all wait', async () => {
    await publish(A, '1');
    await publish(B, '2');
    const first = await store.claim(ME, 500);
    const id = first?.rows.find(({ channel }) => channel === A)?.id ?? '';
    const held = {
      id,
      act: 'hold',
      code: 'MSG_CHANNEL_NOT_FOUND',
      error: 'not open',
      delayMs: 30_000,
    } as const;
    await store.settle(ME, first?.partitions ?? [], { ...NOTHING, failures: [held] });
    await publish(A, '3');
    expect((await store.claim(OTHER, 500))?.rows.map(({ channel }) => channel)).toEqual([B]);
  });
});

describe('a settlement', () => {
  it('decides what failed by the lease of its partition, and removes what was published in any case', async () => {
    await publish(A, '1', '2');
    await publish(B, '3', '4');
    const mine = await store.claim(ME, 500);
    await expire(A);
    const other = await store.claim(OTHER, 500);
    expect(other?.rows.map(({ channel }) => channel)).toEqual([A, A]);
    const rowsOf = (channel: string) => (mine?.rows ?? []).filter(row => row.channel === channel);
    const failures = [A, B].map(channel => {
      const { id = '' } = rowsOf(channel)[1] ?? {};
      return { id, act: 'dead', code: 'MSG_INVALID_ARGUMENT', error: 'wrong', delayMs: 0 } as const;
    });
    const done = [A, B].flatMap(channel => rowsOf(channel).slice(0, 1));
    const settled = await store.settle(ME, mine?.partitions ?? [], { ...NOTHING, done, failures });
    expect(settled).toEqual({ owned: [rowsOf(B)[0]?.partition], buried: 1 });
    expect(await db.rows()).toEqual([{ channel: A, data: '2' }]);
    const leases = await db.sql.unsafe('SELECT owner FROM msg.outbox_partition WHERE owner IS NOT NULL', []);
    expect(leases).toEqual([{ owner: OTHER }]);
  });

  it('prolongs the leases that are still held', async () => {
    await publish(A, '1');
    await publish(B, '2');
    const mine = await store.claim(ME, 500);
    await expire(A);
    await store.claim(OTHER, 500);
    await expire(B);
    const renewed = await store.settle(ME, mine?.partitions ?? [], { ...NOTHING, keepsLease: true });
    expect(renewed.owned).toHaveLength(1);
    expect(await store.claim(OTHER, 500)).toMatchObject({ partitions: [expect.any(Number)] });
  });
});

it('a worker publishes what many channels have in one request', async () => {
  for (const channel of CHANNELS) await publish(channel, '1', '2');
  const service = new Service();
  const worker = new OutboxWorker({ sql: db.sql, msg: service });
  worker.start();
  try {
    await eventually('the outbox is empty', async () => (await db.rows()).length === 0);
    expect(service.requests.map(({ length }) => length)).toEqual([12]);
    for (const channel of CHANNELS) expect(service.stream(channel)).toEqual(['1', '2']);
  } finally {
    await worker.stop();
  }
});

it('a schema of before goes on: with its rows, and with its workers until they start again', async () => {
  const schema = 'earlier';
  const later = new DatabaseStore({ query: async (text, params) => db.sql.unsafe(text, params) }, schema);
  for (const { text } of migrations({ schema }).slice(0, 3)) await db.sql.unsafe(text);
  await db.sql.unsafe(`SELECT earlier.publish($1::text, 'before'::text)`, [A]);
  await migrate(db.sql, { schema });
  const claim = `SELECT channel FROM earlier.outbox_claim('${OTHER}', '10 s', 500, 1000000)`;
  expect(await db.sql.unsafe(claim, [])).toEqual([{ channel: A }]);
  await db.sql.unsafe(`SELECT earlier.publish($1::text, 'after'::text)`, [B]);
  expect(await outboxStatus(db.sql, { schema })).toMatchObject({ rows: 2, leases: 1 });
  expect((await later.claim(ME, 500))?.rows.map(({ channel }) => channel)).toEqual([B]);
  await db.sql.unsafe('DROP SCHEMA earlier CASCADE', []);
});
