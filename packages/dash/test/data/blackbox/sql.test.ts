import { eventually } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#src/document/json.ts';
import { openDocumentEngine } from '#src/reads/document-engine.ts';
import { codeOf, rowsOf, tablesOf } from '../asked.ts';
import { Shop } from '../shop.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await Shop.open();
}, 120_000);
afterAll(() => shop.close());

const ask = (text: string, params: JsonObject['params'] = [], config: JsonObject = {}) =>
  shop.ask({ text, params: params ?? [] }, config);
const one = async (text: string, params: JsonObject['params'] = []) => rowsOf(await ask(text, params))[0];

describe('rows of a real PostgreSQL', () => {
  it.each([
    ['42::int2', 42],
    ['42::int4', 42],
    ['9007199254740991::int8', 9_007_199_254_740_991],
    ['9007199254740993::int8', '9007199254740993'],
    ['1.50::numeric', 1.5],
    ['0.1::numeric', 0.1],
    ['12345678901234567890.5::numeric', '12345678901234567890.5'],
    ["'NaN'::numeric", null],
    ["'Infinity'::numeric", null],
    ['1.5::float4', 1.5],
    ['0.1::float8', 0.1],
    ["'-Infinity'::float8", null],
    ["'NaN'::float8", null],
    ['true', true],
    ['false', false],
    ["'it''s'::text", "it's"],
    ["'a'::char(3)", 'a  '],
    ["'2026-01-02'::date", '2026-01-02'],
    ["'2026-01-02 03:04:05'::timestamp", '2026-01-02T03:04:05'],
    ["'2026-01-02 03:04:05.678901'::timestamp", '2026-01-02T03:04:05.678901'],
    ["'2026-01-02 03:04:05+09'::timestamptz", '2026-01-01T18:04:05Z'],
    ["'2026-07-02 03:04:05 Europe/Berlin'::timestamptz", '2026-07-02T01:04:05Z'],
    ["'infinity'::timestamptz", 'infinity'],
    ["'0044-03-15 BC'::date", '0044-03-15 BC'],
    ["'10:20:30'::time", '10:20:30'],
    ["interval '1 day 2 hours'", '1 day 02:00:00'],
    ['\'{"a": [1]}\'::json', '{"a": [1]}'],
    ['\'{"a":[1]}\'::jsonb', '{"a": [1]}'],
    ["'\\x0102'::bytea", '\\x0102'],
    ["decode(repeat('ff', 100), 'hex')", `\\x${'f'.repeat(61)}…`],
    ["'{1,2}'::int[]", '{1,2}'],
    ["'00000000-0000-0000-0000-000000000001'::uuid", '00000000-0000-0000-0000-000000000001'],
    ["'10.0.0.1'::inet", '10.0.0.1'],
    ['NULL::int', null],
    ['NULL::text', null],
  ])('have %s as %j', async (expression, value) => {
    expect(await one(`SELECT ${expression} AS cell`)).toEqual({ cell: value });
  });

  it('have the names of the columns, a number behind one that comes again, and names that are those of objects', async () => {
    const data = await ask('SELECT 1 AS id, 2 AS id, 3 AS id_2, 4 AS "__proto__", 5');
    expect(data).toMatchObject({ data: { columns: ['id', 'id_2', 'id_2_2', '__proto__', '?column?'] } });
    expect(Object.entries(rowsOf(data)[0] ?? {}).map(([, cell]) => cell)).toEqual([1, 2, 3, 4, 5]);
  });

  it('keep their columns when a query finds nothing', async () => {
    const data = await ask('SELECT id, region FROM orders WHERE false');
    expect(data).toMatchObject({ state: 'empty', data: { columns: ['id', 'region'], rows: [] } });
  });

  it('come from SELECT, WITH, VALUES and TABLE, also behind comments and brackets', async () => {
    const statements = [
      'with t as (select 1 as n) select n from t',
      'VALUES (1)',
      'TABLE orders',
      '-- a comment\n/* one /* in */ another */ ((SELECT 1) UNION (SELECT 2))',
      'SELECT 1;',
    ];
    for (const text of statements) expect(rowsOf(await ask(text)).length).toBeGreaterThan(0);
  });

  it('are cut at maxRows, and the answer says so; as many as that are not', async () => {
    const cut = await ask('SELECT id FROM orders ORDER BY id', [], { maxRows: 999 });
    expect(cut).toMatchObject({ data: { truncated: true, rows: { length: 999 } } });
    const whole = await ask('SELECT id FROM orders ORDER BY id', [], { maxRows: 1_000 });
    expect(rowsOf(whole)).toHaveLength(1_000);
    expect('data' in whole && whole.data.truncated).toBeUndefined();
    const many = await ask('SELECT * FROM generate_series(1, 10000000) n');
    expect(many).toMatchObject({ data: { truncated: true, rows: { length: 10_000 } } });
  });

  it('take their values from params, whatever they hold', async () => {
    const hostile = `'; DROP TABLE orders; -- " \\ $1 \u0001 ❤`;
    expect(await one('SELECT $1::text AS a, $1 || $2 AS b', [hostile, 'x'])).toEqual({
      a: hostile,
      b: `${hostile}x`,
    });
    const text =
      'SELECT count(*) AS n FROM orders WHERE id < $1 AND region = $2 AND $3::bool AND amount > $4';
    expect(await one(text, [11, 'r1', true, 0.5])).toEqual({ n: 4 });
    expect(await one('SELECT $1::int AS a, $2::timestamptz AS b', [null, '2026-01-02T03:00:00Z'])).toEqual({
      a: null,
      b: '2026-01-02T03:00:00Z',
    });
    expect(await ask('SELECT $1::int', ['1 OR true'])).toMatchObject({
      error: { code: 'QUERY_FAILED', details: { sqlState: '22P02' } },
    });
  });

  it('are looked for in the schemas of searchPath', async () => {
    shop.server.sql('CREATE SCHEMA "Old; x"; CREATE TABLE "Old; x".orders AS SELECT 7 AS id');
    shop.server.sql('GRANT USAGE ON SCHEMA "Old; x" TO reader; GRANT SELECT ON "Old; x".orders TO reader');
    const data = await ask('SELECT id FROM orders', [], { searchPath: '"Old; x", public' });
    expect(rowsOf(data)).toEqual([{ id: 7 }]);
    expect(await one('SELECT count(*) AS n FROM orders')).toEqual({ n: 1_000 });
  });
});

describe('a database that is asked', () => {
  it.each([
    ['COMMIT; DROP TABLE orders', 'QUERY_INVALID'],
    ['COPY orders TO STDOUT', 'QUERY_INVALID'],
    ['DROP TABLE orders', 'QUERY_INVALID'],
    ['/* SELECT */ DELETE FROM orders', 'QUERY_INVALID'],
    ['-- SELECT 1\rDO $$ BEGIN END $$', 'QUERY_INVALID'],
    ['ROLLBACK', 'QUERY_INVALID'],
    ['SET ROLE admin', 'QUERY_INVALID'],
    [';SELECT 1', 'QUERY_INVALID'],
    ['   ', 'QUERY_INVALID'],
    ['SELECT 1; DROP TABLE orders', 'QUERY_FAILED'],
    ['SELECT 1; SELECT 2', 'QUERY_FAILED'],
    ['SELECT 1 \0; COMMIT', 'QUERY_INVALID'],
    ['WITH gone AS (DELETE FROM orders RETURNING id) SELECT * FROM gone', 'QUERY_FAILED'],
    ["WITH made AS (INSERT INTO orders VALUES (0, 'x') RETURNING id) TABLE made", 'QUERY_FAILED'],
    ['SELECT * INTO stolen FROM orders', 'QUERY_FAILED'],
    ['SELECT * FROM orders FOR UPDATE', 'QUERY_FAILED'],
    ["SELECT set_config('transaction_read_only', 'off', true)", 'QUERY_FAILED'],
    ["SELECT set_config('role', 'admin', true)", 'QUERY_FAILED'],
    ["SELECT set_config('session_authorization', 'admin', false)", 'QUERY_FAILED'],
    ['SELECT * FROM pg_authid', 'QUERY_FAILED'],
    ["SELECT pg_read_file('/etc/passwd')", 'QUERY_FAILED'],
    ["SELECT lo_import('/etc/passwd')", 'QUERY_FAILED'],
    ['SELECT no_such_column FROM orders', 'QUERY_FAILED'],
    ['SELECT pg_sleep(60)', 'QUERY_TIMEOUT'],
    ["SELECT set_config('statement_timeout', '0', true), pg_sleep(60)", 'QUERY_TIMEOUT'],
    ['SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 100000) b', 'QUERY_TIMEOUT'],
    ["SELECT repeat('x', 1000000) FROM generate_series(1, 100000)", 'QUERY_TOO_LARGE'],
    ["SELECT repeat(repeat('x', 1000000), 100)", 'QUERY_TOO_LARGE'],
  ])('refuses %j with %s and is as it was', { timeout: 60_000 }, async (text, code) => {
    const before = shop.checksum();
    const statementTimeout = code === 'QUERY_TIMEOUT' ? 1 : 30;
    expect(codeOf(await ask(text, [], { statementTimeout }))).toBe(code);
    expect(shop.checksum()).toBe(before);
    expect(await one('SELECT count(*) AS n FROM orders')).toEqual({ n: 1_000 });
    await eventually('no statement runs', () => shop.running() === 0);
  });

  it('keeps no lock, setting or temporary table of a query', async () => {
    expect(codeOf(await ask('SELECT pg_advisory_lock(7)'))).toBe('ready');
    expect(shop.server.sql(`SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'`)).toBe('0');
    const change = `SELECT set_config('application_name', 'mine', false), set_config('search_path', 'pg_temp', false)`;
    expect(codeOf(await ask(change))).toBe('ready');
    expect(
      await one(`SELECT current_setting('application_name') AS name, count(*) AS n FROM orders`),
    ).toEqual({ name: 'dash', n: 1_000 });
  });

  it('tells nobody what a query would notify', async () => {
    shop.server.sql('CREATE TABLE told (payload text)');
    const listening = shop.server.listen('news');
    await listening.ready;
    expect(codeOf(await ask("SELECT pg_notify('news', 'of a query')"))).toBe('ready');
    shop.server.sql("NOTIFY news, 'of the operator'");
    expect(await listening.stop()).toEqual(['of the operator']);
  });

  it('is asked over a few connections, which are used again', async () => {
    const texts = Array.from({ length: 12 }, (_, index) => `SELECT ${index}, pg_sleep(0.05)`);
    await Promise.all(texts.map(text => ask(text)));
    const count = `SELECT count(*) FROM pg_stat_activity WHERE usename = 'reader'`;
    await eventually('four are left', () => Number(shop.server.sql(count)) <= 4);
  });

  it('says what it refuses, and where in the statement', async () => {
    expect(await ask('SELECT no_such_column FROM orders')).toMatchObject({
      error: {
        message: 'PostgreSQL refused the query: column "no_such_column" does not exist (at character 8).',
        details: { sqlState: '42703' },
      },
    });
  });

  it('ends a statement whose time is over, and one whose last viewer has left', async () => {
    const late = ask('SELECT pg_sleep(61)', [], { timeout: 1 });
    await eventually('the statement runs', () => shop.running() === 1);
    expect(await late).toMatchObject({ error: { code: 'QUERY_TIMEOUT' } });
    await eventually('it is over', () => shop.running() === 0, 5_000);
    const engine = openDocumentEngine();
    const connection = shop.connection();
    const item = { connection: 'one', query: { text: 'SELECT pg_sleep(62)' } };
    const tree = engine.resolve(tablesOf({ one: connection }, { item }), { environment: shop.environment });
    const leaving = new AbortController();
    const answer = shop.sources.ask(tree, { leaving: leaving.signal }).get('item');
    await eventually('the statement runs', () => shop.running() === 1);
    leaving.abort();
    await eventually('it is over', () => shop.running() === 0, 5_000);
    await answer?.later;
  });
});

describe('a role', () => {
  it.each(['admin', 'deputy'])('that is or may become a superuser is refused: %s', async role => {
    if (role === 'deputy') shop.server.addRole(role, [`GRANT admin TO ${role}`]);
    const data = await ask('SELECT 1', [], { url: shop.server.url(role) });
    expect(data).toMatchObject({ state: 'error', error: { code: 'QUERY_ROLE_FORBIDDEN' } });
  });

  it('with a wrong password gets in nowhere, and its password stands in no error', async () => {
    const data = await ask('SELECT 1', [], { url: shop.server.url('nobody') });
    expect(data).toMatchObject({ error: { code: 'QUERY_FAILED', details: { sqlState: '28P01' } } });
    expect(JSON.stringify(data)).not.toContain(shop.server.password);
  });

  it('whose connections are all taken is QUERY_BUSY', async () => {
    shop.server.addRole('single', ['ALTER ROLE single CONNECTION LIMIT 1']);
    const url = shop.server.url('single');
    const long = ask('SELECT pg_sleep(2)', [], { url });
    const count = `SELECT count(*) FROM pg_stat_activity WHERE usename = 'single'`;
    await eventually('its one connection', () => shop.server.sql(count) === '1');
    expect(await ask('SELECT 2', [], { url })).toMatchObject({
      error: { code: 'QUERY_BUSY', details: { sqlState: '53300' } },
    });
    expect(codeOf(await long)).toBe('ready');
  });
});

it('a server that is killed costs its queries an error, and answers again when it is back', async () => {
  const query = ask('SELECT pg_sleep(63)', []);
  await eventually('the statement runs', () => shop.running() === 1);
  await shop.server.kill();
  expect(await query).toMatchObject({ state: 'error', error: { code: 'QUERY_FAILED' } });
  expect(codeOf(await ask('SELECT 3'))).toBe('QUERY_FAILED');
  await shop.server.restart();
  expect(await one('SELECT 4 AS n')).toEqual({ n: 4 });
}, 60_000);
