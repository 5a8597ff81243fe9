import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { OutboxDatabase } from '../support/database.ts';

let db: OutboxDatabase;
beforeAll(async () => {
  db = await OutboxDatabase.start();
}, 120_000);
afterEach(() => db.clear());
afterAll(() => db.stop());

const failure = async (text: string, params: (string | null)[] = []) => {
  const error: unknown = await db.app.unsafe(text, params).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error as { readonly code: string; readonly message: string } | undefined;
};

describe('msg.publish in the transaction of an application', () => {
  it.each([
    [`msg.publish('public:shop.news', '{"b": 1, "a": 2}'::jsonb)`, '{"a": 2, "b": 1}'],
    [`msg.publish('public:shop.news', '{"b": 1,"a":2}'::text)`, '{"b": 1,"a":2}'],
    [`msg.publish('public:shop.news', '{"b": 1,"a":2}')`, '{"b": 1,"a":2}'],
    [`msg.publish('private:shop.orders.7.lines', '\\x616263'::bytea)`, 'abc'],
    [`msg.publish('public:shop.news', 'null'::jsonb)`, 'null'],
  ])('%s', async (call, data) => {
    const [row] = await db.app.unsafe(`SELECT ${call} AS key`);
    expect(row?.['key']).toMatch(/^[0-9a-f-]{36}$/);
    expect((await db.rows()).map(waiting => waiting.data)).toEqual([data]);
  });

  it('keeps tags and options', async () => {
    await db.app.unsafe(`SELECT msg.publish('public:shop.news', '1'::jsonb, '{"kind":"new"}', true, true)`);
    const [row] = await db.sql.unsafe('SELECT tags::text, options::text, version FROM msg.outbox', []);
    expect(row).toEqual({ tags: '{"kind": "new"}', options: '{"skip_history": true}', version: null });
  });

  it('leaves nothing after a rollback, and after a savepoint what was outside of it', async () => {
    await expect(
      db.app.begin(async tx => {
        await tx`SELECT msg.publish('public:shop.news', '1'::jsonb)`;
        throw new Error('changed my mind');
      }),
    ).rejects.toThrow('changed my mind');
    await db.app.begin(async tx => {
      await tx`SELECT msg.publish('public:shop.news', '2'::jsonb)`;
      await tx
        .savepoint(async inner => {
          await inner`SELECT msg.publish('public:shop.news', '3'::jsonb)`;
          throw new Error('not this');
        })
        .catch(() => undefined);
      await tx`SELECT msg.publish('public:shop.news', '4'::jsonb)`;
    });
    expect((await db.rows()).map(({ data }) => data)).toEqual(['2', '4']);
  });

  it.each([
    [`msg.publish('Shop', '1'::jsonb)`, 'channel must be public:app.domain'],
    [`msg.publish(NULL, '1'::jsonb)`, 'got null'],
    [`msg.publish('public:shop', '1'::jsonb)`, 'channel must be'],
    [`msg.publish('private:shop.orders', '1'::jsonb)`, 'channel must be'],
    [`msg.publish(E'public:shop.news\\n', '1'::jsonb)`, 'channel must be'],
    [`msg.publish('public:shop.' || repeat('a', 255), '1'::jsonb)`, 'at most 255 bytes'],
    [`msg.publish('public:shop.ä', '1'::jsonb)`, 'channel must be'],
    [`msg.publish('public:shop.news', repeat('x', 2097152))`, 'at most 1048576 bytes; got 2097152'],
    [`msg.publish('public:shop.news', NULL::jsonb)`, 'data must be'],
    [`msg.publish('public:shop.news', '1'::jsonb, '{"n": 1}')`, 'got number for "n"'],
    [`msg.publish('public:shop.news', '1'::jsonb, '[]')`, 'got array'],
    [`msg.publish('public:shop.news', '1'::jsonb, '{"msg-encoding": "x"}')`, 'must not begin with "msg-"'],
    [`msg.broadcast('{}', '1'::jsonb)`, 'from 1 to 1000 names'],
    [`msg.broadcast('{public:shop.news,Shop}', '1'::jsonb)`, 'got "Shop"'],
    [`msg.publish_or_sink('public:shop.news', '1', '', 'null', '{}')`, 'sink must be'],
    [`msg.publish_or_sink('public:shop.news', '1', 'ops', 'null', '[]')`, 'message must be an object'],
  ])('%s is refused in the statement', async (call, text) => {
    const error = await failure(`SELECT ${call}`);
    expect(error).toMatchObject({ code: '22023', message: expect.stringContaining(text) as string });
    expect(await db.rows()).toEqual([]);
  });

  it('publishes the same into several channels, in the order of the names', async () => {
    const names = ['public:shop.b', 'public:shop.a', 'private:shop.orders.1'];
    const [row] = await db.app.unsafe(
      `SELECT msg.broadcast('{${names.join(',')}}', '1'::jsonb, ordered => true) AS keys`,
    );
    expect(String(row?.['keys']).split(',')).toHaveLength(3);
    expect((await db.rows()).map(({ channel }) => channel)).toEqual(names);
  });

  it('takes locks of a broadcast in one order, so that two do not wait for each other', async () => {
    const broadcast = (names: string) =>
      db.app.begin(async tx => {
        await tx`SELECT msg.broadcast(${names}, '1'::jsonb, ordered => true)`;
      });
    const rounds = Array.from({ length: 40 }, (_, n) =>
      broadcast(n % 2 === 0 ? '{public:shop.a,public:shop.b}' : '{public:shop.b,public:shop.a}'),
    );
    await Promise.all(rounds);
    expect(await db.rows()).toHaveLength(80);
  });

  it('with `ordered` waits for the other transaction of the channel, and for no other', async () => {
    const publish = (channel: string) =>
      db.app.begin(async tx => {
        await tx`SET LOCAL lock_timeout = 50`;
        await tx`SELECT msg.publish(${channel}, '{}'::jsonb, ordered => true)`;
      });
    await db.app.begin(async tx => {
      await tx`SELECT msg.publish('public:shop.news', '{}'::jsonb, ordered => true)`;
      await expect(publish('public:shop.news')).rejects.toMatchObject({ code: '55P03' });
      await publish('public:shop.other');
    });
    await publish('public:shop.news');
    expect(await db.rows()).toHaveLength(3);
  });

  it('an application reads nothing of the outbox and claims nothing', async () => {
    for (const text of [
      'SELECT * FROM msg.outbox',
      'SELECT * FROM msg.outbox_dead',
      'SELECT * FROM msg.outbox_state',
      `SELECT msg.outbox_claim(gen_random_uuid(), '10 s', 1, 1)`,
      `SELECT msg.outbox_claim_batch(gen_random_uuid(), '10 s', 1, 1, 1)`,
      `SELECT msg.outbox_settle_batch(gen_random_uuid(), '{1}', '10 s', '{}', '{}', '{}', '[]', false)`,
      `SELECT msg.outbox_sleep()`,
    ]) {
      expect(await failure(text), text).toMatchObject({ code: '42501' });
    }
  });

  it('needs EXECUTE', async () => {
    db.server.addRole('stranger', ['GRANT USAGE ON SCHEMA msg TO stranger']);
    const text = `SET ROLE stranger; SELECT msg.publish('public:shop.news', '1'::jsonb)`;
    expect(() => db.server.sql(text)).toThrow('permission denied for function publish');
  });

  it('is not led astray by the search path of the caller', async () => {
    db.server.sql(`CREATE SCHEMA evil; CREATE FUNCTION evil.sha256(bytea) RETURNS bytea LANGUAGE sql
      AS $$ SELECT 'xx'::bytea $$; GRANT ALL ON SCHEMA evil TO app`);
    await db.app.begin(async tx => {
      await tx`SET LOCAL search_path = evil, msg, pg_catalog`;
      await tx`SELECT publish('public:shop.news', '1'::jsonb)`;
    });
    const [row] = await db.sql.unsafe(
      `SELECT count(*)::int AS count FROM msg.outbox WHERE partition = msg.outbox_partition_of(channel)`,
      [],
    );
    expect(row).toEqual({ count: 1 });
  });

  it('raises 53400 above the bound on rows', async () => {
    await db.sql.unsafe('UPDATE msg.outbox_state SET max_rows = 3, counted_rows = 3', []);
    const error = await failure(`SELECT msg.publish('public:shop.news', '1'::jsonb)`);
    expect(error).toMatchObject({
      code: '53400',
      message: expect.stringContaining('fewer than 3') as string,
    });
  });
});
