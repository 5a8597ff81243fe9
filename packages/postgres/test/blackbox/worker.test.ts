import { eventually } from '@msg/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  discardDead,
  listDead,
  type OutboxEvent,
  OutboxWorker,
  type OutboxWorkerOptions,
  outboxStatus,
  retryDead,
} from '#src/index.ts';
import { OutboxDatabase } from '../support/database.ts';
import { answer, Service } from '../support/service.ts';

let db: OutboxDatabase;
let service: Service;
let events: OutboxEvent[];
const workers: OutboxWorker[] = [];
beforeAll(async () => {
  db = await OutboxDatabase.start();
}, 120_000);
beforeEach(() => {
  service = new Service();
  events = [];
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map(worker => worker.stop()));
  await db.clear();
});
afterAll(() => db.stop());

function startWorker(options: Partial<OutboxWorkerOptions> = {}): OutboxWorker {
  const worker = new OutboxWorker({
    sql: db.sql,
    msg: service,
    onEvent: event => events.push(event),
    ...options,
  });
  workers.push(worker);
  worker.start();
  return worker;
}

const publish = (channel: string, ...texts: string[]) =>
  db.app.begin(async tx => {
    for (const text of texts) await tx`SELECT msg.publish(${channel}, ${text}::text)`;
  });
const isEmpty = async () => (await db.rows()).length === 0;
const emptied = () => eventually('the outbox is empty', isEmpty);
const deadOnes = () => listDead(db.sql);

describe('a worker', () => {
  it('publishes what is committed, in order, and removes it', async () => {
    await publish('public:shop.a', '1', '2', '3');
    await publish('public:shop.b', '4');
    const worker = startWorker();
    await emptied();
    await publish('public:shop.a', '5');
    await emptied();
    expect(service.stream('public:shop.a')).toEqual(['1', '2', '3', '5']);
    expect(service.stream('public:shop.b')).toEqual(['4']);
    await eventually('the figures', () => worker.stats().published === 5);
    expect(worker.hasPublishedInto('public:shop.b')).toBe(true);
    const versions = service.received.map(({ version }) => version);
    expect(versions.every(version => version > 1.7e15)).toBe(true);
    expect(new Set(versions).size).toBe(5);
    expect(service.received[0]?.versionEpoch).toMatch(/^outbox:[0-9a-f-]{36}$/);
    expect(service.received[0]?.idempotencyKey).toMatch(/^outbox:[0-9a-f-]{36}$/);
  });

  it('sees nothing of a transaction that is open', async () => {
    startWorker({ pollIntervalMs: 10 });
    await db.app.begin(async tx => {
      await tx`SELECT msg.publish('public:shop.a', 'open'::text)`;
      await publish('public:shop.a', 'other');
      await eventually('the other one', () => service.stream('public:shop.a').length === 1);
    });
    await emptied();
    expect(service.stream('public:shop.a')).toEqual(['other', 'open']);
  });

  it('several publish each row once', async () => {
    for (let n = 0; n < 20; n++)
      await publish(`public:shop.c${n}`, ...Array.from({ length: 50 }, (_, i) => `${i}`));
    for (let n = 0; n < 3; n++) startWorker({ workers: 2, batch: 7 });
    await emptied();
    for (let n = 0; n < 20; n++) {
      expect(service.stream(`public:shop.c${n}`)).toEqual(Array.from({ length: 50 }, (_, i) => `${i}`));
    }
    expect(service.received).toHaveLength(1000);
  });

  it('publishes again what it got no answer for, and the stream has it once', async () => {
    let isLost = true;
    service.after = () => {
      if (isLost) throw new Error('connection reset');
    };
    await publish('public:shop.a', '1', '2');
    const worker = startWorker();
    await eventually('two attempts', () => service.requests.length >= 2);
    expect(worker.stats()).toMatchObject({ state: 'waiting', failure: { where: 'service' } });
    isLost = false;
    await emptied();
    expect(service.stream('public:shop.a')).toEqual(['1', '2']);
    const [first, second] = service.requests;
    expect(second?.map(({ version }) => version)).toEqual(first?.map(({ version }) => version));
    await eventually('suppressed', () => worker.stats().suppressed === 2);
    expect(events.map(({ type }) => type)).toContain('recovered');
  });

  it('waits while the service is not ready, and keeps the order', async () => {
    service.before = () => {
      throw answer('MSG_BROKER_NOT_READY');
    };
    await publish('public:shop.a', '1', '2');
    startWorker();
    await eventually('refused twice', () => service.requests.length >= 2);
    await publish('public:shop.a', '3');
    service.before = () => undefined;
    await emptied();
    expect(service.stream('public:shop.a')).toEqual(['1', '2', '3']);
    const waiting = events.find(({ type }) => type === 'waiting');
    expect(waiting).toMatchObject({ type: 'waiting', where: 'service', code: 'MSG_BROKER_NOT_READY' });
    expect(await deadOnes()).toEqual([]);
  });

  it('a failing item stops its channel alone, and later items are not skipped over', async () => {
    let isLimited = true;
    service.rule = ({ name, payload }) =>
      isLimited && name === 'public:shop.a' && payload[0] === 50
        ? { code: 'MSG_RATE_LIMITED', message: 'limited' }
        : undefined;
    await publish('public:shop.a', '1', '2', '3');
    await publish('public:shop.b', '4', '5');
    startWorker({ pollIntervalMs: 20 });
    await eventually('b', () => service.stream('public:shop.b').length === 2);
    await publish('public:shop.a', '6');
    await eventually(
      'tried again',
      () => service.received.filter(({ payload }) => payload[0] === 50).length > 2,
    );
    expect(service.stream('public:shop.a')).toEqual(['1']);
    isLimited = false;
    await emptied();
    expect(service.stream('public:shop.a')).toEqual(['1', '2', '3', '6']);
  });

  it('permanent errors become dead rows at once; later rows go on', async () => {
    service.rule = ({ payload }) =>
      payload[0] === 50 ? { code: 'MSG_INVALID_ARGUMENT', message: 'does not fit the schema' } : undefined;
    await publish('public:shop.a', '1', '2', '3');
    const worker = startWorker();
    await emptied();
    expect(service.stream('public:shop.a')).toEqual(['1', '3']);
    const [dead] = await deadOnes();
    expect(dead).toMatchObject({
      channel: 'public:shop.a',
      code: 'MSG_INVALID_ARGUMENT',
      lastError: 'MSG_INVALID_ARGUMENT: does not fit the schema',
      attempts: 1,
      bytes: 1,
    });
    await eventually('counted', () => worker.stats().dead.get('MSG_INVALID_ARGUMENT') === 1);
    expect(events).toContainEqual({
      type: 'dead',
      id: dead?.id,
      channel: 'public:shop.a',
      code: 'MSG_INVALID_ARGUMENT',
    });

    service.rule = () => undefined;
    const key = dead?.key ?? '';
    expect(await retryDead(db.sql, { ids: [dead?.id ?? ''] })).toBe(1);
    await emptied();
    expect(service.stream('public:shop.a')).toEqual(['1', '3', '2']);
    expect(service.received.at(-1)?.idempotencyKey).toBe(`outbox:${key}`);
    expect(await deadOnes()).toEqual([]);
  });

  it('finds the row for which a whole request is refused', async () => {
    service.before = items => {
      if (items.some(({ payload }) => payload[0] === 120)) throw answer('MSG_INVALID_ARGUMENT');
    };
    await publish('public:shop.a', '1', 'x', '2');
    await publish('public:shop.b', '3', '4');
    startWorker();
    await emptied();
    expect(service.stream('public:shop.a')).toEqual(['1', '2']);
    expect(service.stream('public:shop.b')).toEqual(['3', '4']);
    expect((await deadOnes()).map(({ bytes }) => bytes)).toEqual([1]);
  });

  it('a bearer without the right is waited for: no row is lost', async () => {
    service.before = () => {
      throw answer('MSG_AUTH_DENIED');
    };
    await publish('public:shop.a', '1');
    const worker = startWorker();
    await eventually('it waits', () => worker.stats().failure?.code === 'MSG_AUTH_DENIED');
    service.before = () => undefined;
    await emptied();
    expect(service.stream('public:shop.a')).toEqual(['1']);
  });
});

describe('a channel that is not open', () => {
  const closed = (item: { readonly name: string }) =>
    item.name === 'public:shop.a' ? { code: 'MSG_CHANNEL_NOT_FOUND', message: 'not open' } : undefined;

  it('holds itself alone, until it is opened', async () => {
    service.rule = closed;
    await publish('public:shop.a', '1', '2');
    startWorker({ pollIntervalMs: 20 });
    await eventually('tried', () => service.received.length > 0);
    await publish('public:shop.b', '3');
    await eventually('b', () => service.stream('public:shop.b').length === 1);
    await eventually('it is told', async () => {
      const { held } = await outboxStatus(db.sql);
      return held[0]?.channel === 'public:shop.a' && held[0].lastError.includes('MSG_CHANNEL_NOT_FOUND');
    });
    service.rule = () => undefined;
    await emptied();
    expect(service.stream('public:shop.a')).toEqual(['1', '2']);
  });

  it('is opened where the worker may', async () => {
    const opened: string[] = [];
    service.rule = item => (opened.includes(item.name) ? undefined : closed(item));
    await publish('public:shop.a', '1');
    startWorker({ pollIntervalMs: 20, openChannel: async name => opened.push(name) });
    await emptied();
    expect(opened).toEqual(['public:shop.a']);
    expect(service.stream('public:shop.a')).toEqual(['1']);
  });

  it('is waited for, then its rows are dead, all that waited as long at once', async () => {
    service.rule = closed;
    await publish('public:shop.a', '1', '2', '3');
    const worker = startWorker({ pollIntervalMs: 20, waitForChannelMs: 300 });
    await emptied();
    await eventually('counted', () => worker.stats().dead.get('MSG_CHANNEL_NOT_FOUND') === 3);
    expect((await deadOnes()).map(({ code }) => code)).toEqual(
      Array.from({ length: 3 }, () => 'MSG_CHANNEL_NOT_FOUND'),
    );
    expect(await discardDead(db.sql, { code: 'MSG_CHANNEL_NOT_FOUND' })).toBe(3);
    expect(await deadOnes()).toEqual([]);
  });
});

describe('without history', () => {
  const aged = `UPDATE msg.outbox SET version = 1, uncertain_since = clock_timestamp() - interval '241 seconds'`;

  it('a row whose first attempt is too long ago is parked, and the channel goes on', async () => {
    service.withoutHistory.add('public:shop.a');
    await publish('public:shop.a', '1');
    await publish('public:shop.b', '2');
    await db.sql.unsafe(aged, []);
    await publish('public:shop.a', '3');
    startWorker();
    await emptied();
    expect(service.stream('public:shop.a')).toEqual(['3']);
    expect(service.stream('public:shop.b')).toEqual(['2']);
    expect((await deadOnes()).map(({ channel, code }) => [channel, code])).toEqual([
      ['public:shop.a', 'uncertain'],
    ]);
  });

  it('a row that is not kept is parked as well', async () => {
    await db.app`SELECT msg.publish('public:shop.a', '1'::text, skip_history => true)`;
    await db.sql.unsafe(aged, []);
    startWorker();
    await emptied();
    expect((await deadOnes()).map(({ code }) => code)).toEqual(['uncertain']);
    expect(service.received).toEqual([]);
  });

  it('an attempt of which the service says that nothing was published does not count', async () => {
    service.withoutHistory.add('public:shop.a');
    service.before = () => {
      throw answer('MSG_BROKER_NOT_READY');
    };
    await publish('public:shop.a', '1');
    startWorker();
    await eventually('not uncertain', async () => {
      const text = 'SELECT count(*)::int AS n FROM msg.outbox WHERE version > 0 AND uncertain_since IS NULL';
      const [row] = await db.sql.unsafe(text, []);
      return row?.['n'] === 1;
    });
  });
});
