import { eventually } from '@msg/testkit';
import { FaultProxy } from '@msg/testkit/redis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  connectPostgres,
  migrate,
  type OutboxConnection,
  OutboxWorker,
  type OutboxWorkerOptions,
} from '#src/index.ts';
import { OutboxDatabase } from '../support/database.ts';
import { Service } from '../support/service.ts';

let db: OutboxDatabase;
let service: Service;
const ends: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  db = await OutboxDatabase.start();
}, 120_000);
beforeEach(() => {
  service = new Service();
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  await db.clear();
});
afterAll(() => db.stop());

function startWorker(sql: OutboxConnection, options: Partial<OutboxWorkerOptions> = {}): OutboxWorker {
  const worker = new OutboxWorker({ sql, msg: service, ...options });
  ends.push(() => worker.stop());
  worker.start();
  return worker;
}

async function throughProxy(): Promise<{ readonly proxy: FaultProxy; readonly sql: OutboxConnection }> {
  const proxy = await FaultProxy.start({ host: '127.0.0.1', port: db.server.port });
  const sql = await connectPostgres({ url: db.url('admin', proxy.port) });
  ends.push(() => proxy.stop());
  ends.push(() => sql.end({ timeout: 0 }));
  return { proxy, sql };
}

const publish = (channel: string, text: string) => db.app`SELECT msg.publish(${channel}, ${text}::text)`;
const has = (channel: string, ...texts: string[]) =>
  eventually(`${channel} has ${texts}`, () => service.stream(channel).join() === texts.join());

describe('the bell', () => {
  it('wakes a sleeping worker long before its poll', async () => {
    const worker = startWorker(db.sql, { pollIntervalMs: 60_000 });
    await eventually('listening', () => worker.stats().bell === 'listening');
    // The flag is set when the worker next falls asleep.
    await publish('public:shop.a', '1');
    await eventually('asleep', async () => {
      const [row] = await db.sql.unsafe(
        'SELECT sleeping_until IS NOT NULL AS asleep FROM msg.outbox_state',
        [],
      );
      return row?.['asleep'] === true;
    });
    const start = performance.now();
    await publish('public:shop.a', '2');
    await eventually('the second', () => service.stream('public:shop.a').includes('2'));
    expect(performance.now() - start).toBeLessThan(20_000);
  });

  it('is not rung while workers are awake', async () => {
    const heard = db.server.listen('msg_outbox');
    await heard.ready;
    await publish('public:shop.a', '1');
    expect(await heard.stop()).toEqual([]);
    await db.sql.unsafe(`SELECT msg.outbox_sleep()`, []);
    const again = db.server.listen('msg_outbox');
    await again.ready;
    await publish('public:shop.a', '2');
    await eventually('a notification', async () => (await db.rows()).length === 2);
    expect(await again.stop()).toEqual(['commit']);
  });

  it('without notifications everything arrives with the next poll', async () => {
    const worker = startWorker(db.sql, { bell: false, pollIntervalMs: 50 });
    await publish('public:shop.a', '1');
    await has('public:shop.a', '1');
    expect(worker.stats().bell).toBe('polling');
  });
});

describe('connections to the database', () => {
  it('are replaced after they were cut', async () => {
    const { proxy, sql } = await throughProxy();
    const worker = startWorker(sql, { pollIntervalMs: 20 });
    await publish('public:shop.a', '1');
    await has('public:shop.a', '1');
    proxy.fault = 'cut';
    await eventually('it waits', () => worker.stats().failure?.where === 'database');
    expect(worker.stats().failure?.message).not.toContain('127.0.0.1');
    await publish('public:shop.a', '2');
    proxy.fault = 'pass';
    await has('public:shop.a', '1', '2');
    await eventually('it runs', () => worker.stats().state === 'running');
  });

  it('are given up when they are silent', async () => {
    const { proxy, sql } = await throughProxy();
    const worker = startWorker(sql, { pollIntervalMs: 20 });
    await eventually('listening', () => worker.stats().bell === 'listening');
    proxy.fault = 'blackhole';
    await publish('public:shop.a', '1');
    // The claim, or a count that was under way, finds the silence; the other one finds its connection closed.
    await eventually('it waits', () => worker.stats().failure?.where === 'database');
    proxy.fault = 'pass';
    await has('public:shop.a', '1');
  }, 120_000);

  it('a silent listening connection is found and replaced, and no row waits for it', async () => {
    const { proxy, sql } = await throughProxy();
    const worker = startWorker(sql, { pollIntervalMs: 50 });
    await eventually('listening', () => worker.stats().bell === 'listening');
    const [bell] = [...proxy.connections].slice(-1);
    bell?.silence();
    await publish('public:shop.a', '1');
    await has('public:shop.a', '1');
    await eventually('replaced', () => worker.stats().bellReplaced === 1);
    await eventually('listening again', () => worker.stats().bell === 'listening');
  }, 120_000);

  it('may be made to nothing: the worker waits for the database and for its schema', async () => {
    const sql = await connectPostgres({ url: db.url('admin').replace('/shop', '/later') });
    ends.push(() => sql.end({ timeout: 0 }));
    const worker = startWorker(sql);
    await eventually('no database', () => worker.stats().failure?.code === '3D000');
    db.server.sql('CREATE DATABASE later');
    await eventually('no schema', () => worker.stats().failure?.code === 'MSG_INVALID_ARGUMENT');
    expect(worker.stats().failure?.message).toContain('call migrate');
    await migrate(sql);
    await sql.unsafe(`SELECT msg.publish('public:shop.a', '1'::text)`);
    await has('public:shop.a', '1');
  });
});

describe('a crash', () => {
  it('of the database loses nothing and repeats nothing', async () => {
    startWorker(db.sql, { pollIntervalMs: 20, batch: 3 });
    const texts = Array.from({ length: 30 }, (_, n) => `${n}`);
    for (const text of texts) {
      if (text === '15') await db.server.restart();
      await eventually('written', () =>
        publish('public:shop.a', text).then(
          () => true,
          () => false,
        ),
      );
    }
    await has('public:shop.a', ...texts);
  });
});

describe('clocks', () => {
  const claim = async (owner: string) => {
    const text = `SELECT channel, version::text, is_takeover FROM msg.outbox_claim_batch('${owner}', '10 s', 1, 10, 1000000)`;
    return db.sql.unsafe(text, []);
  };
  const [first, second] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];

  it('a clock that was set back: versions keep rising, and a lease does not last longer', async () => {
    const ahead = `UPDATE msg.outbox_partition SET last_version = 9000000000000000 WHERE partition = msg.outbox_partition_of('public:shop.a')`;
    await db.sql.unsafe(ahead, []);
    await publish('public:shop.a', '1');
    const [row] = await claim(first);
    expect(row?.['version']).toBe('9000000000000001');
    expect(await claim(second)).toEqual([]);
    await db.sql.unsafe(
      `UPDATE msg.outbox_partition SET lease_until = lease_until + interval '1 hour' WHERE owner IS NOT NULL`,
      [],
    );
    expect(await claim(second)).toEqual([{ ...row, is_takeover: true }]);
    await db.sql.unsafe('UPDATE msg.outbox_partition SET last_version = 0', []);
  });

  it('a row that is committed late comes behind those that have a version', async () => {
    await db.app.begin(async tx => {
      await tx`SELECT msg.publish('public:shop.a', 'late'::text)`;
      await publish('public:shop.a', 'early');
      expect(await claim(first)).toHaveLength(1);
    });
    const rows = await claim(first);
    expect(rows).toHaveLength(2);
    const [early, late] = rows.map(({ version }) => Number(version));
    expect(early).toBeLessThan(late ?? 0);
    const [row] = await db.sql.unsafe(
      `SELECT convert_from(data, 'UTF8') AS data FROM msg.outbox ORDER BY version LIMIT 1`,
      [],
    );
    expect(row).toEqual({ data: 'early' });
  });
});
