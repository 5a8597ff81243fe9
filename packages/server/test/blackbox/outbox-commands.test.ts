import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRpcClient } from '@msg/core';
import { SITUATIONS } from '@msg/core/advice';
import { eventually, freePort, MSG_BIN, ShellProcess } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type CliRun, runCli } from '../support/cli-io.ts';
import { type Embedded, embed, stopEmbedded } from '../support/embedded.ts';
import { errorLines } from '../support/error-lines.ts';
import { temporaryFolder } from '../support/folders.ts';
import { logRecords } from '../support/log-records.ts';
import { OutboxDatabase } from '../support/outbox-database.ts';
import { startServer } from '../support/server.ts';

const SECRET = 's3cret-pa55word';

let database: OutboxDatabase;
let service: Embedded;
beforeAll(async () => {
  database = await OutboxDatabase.start();
  service = await embed({ channels: { rules: [{ pattern: 'public:shop.**', historySize: 100 }] } });
}, 120_000);
afterAll(async () => {
  await stopEmbedded();
  await database.stop();
});

const outbox = (...words: readonly string[]): Promise<CliRun> =>
  runCli(['outbox', ...words], { env: database.env() });

async function migrated(): Promise<string> {
  const schema = database.schema();
  expect((await outbox('migrate', '--schema', schema)).code).toBe(0);
  return schema;
}

const count = (schema: string, table = 'outbox') => database.sql(`SELECT count(*) FROM ${schema}.${table}`);

describe('msg outbox migrate', () => {
  it('prints what it would do, which psql does as well', async () => {
    const schema = database.schema();
    const { code, stdout } = await runCli(['outbox', 'migrate', '--print', '--schema', schema]);
    expect({ code, lines: stdout.match(/^-- \d+ \w+$/gm) }).toEqual({
      code: 0,
      lines: [
        '-- 1 tables',
        '-- 2 publishing',
        '-- 3 claiming',
        '-- 4 claiming_batches',
        '-- 5 quick_publishing',
        '-- 6 claiming_by_id',
      ],
    });
    database.sql(stdout);
    database.sql(stdout);
    const { envelope } = await outbox('migrate', '--schema', schema);
    expect(envelope?.payload).toEqual({ schema, from: 6, to: 6, alias: false });
  });

  it('two at once make one schema', async () => {
    const schema = database.schema();
    const runs = await Promise.all([1, 2, 3].map(() => outbox('migrate', '--schema', schema)));
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(count(schema, 'outbox_migration')).toBe('6');
  });

  it('refuses a schema that is newer, as every command does, with both versions', async () => {
    const schema = await migrated();
    database.sql(`INSERT INTO ${schema}.outbox_migration (number, name) VALUES (7, 'later')`);
    for (const words of [['migrate'], ['status']]) {
      const { code, stdout, stderr } = await outbox(...words, '--schema', schema);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(errorLines(stderr).error).toMatch(/^error: MSG_INVALID_ARGUMENT: .* 6, .*; got 7/);
    }
  });
});

describe('a database that cannot be used', () => {
  const WORDS = [['migrate'], ['status'], ['dead', 'list'], ['dead', 'retry', '1'], ['dead', 'discard', '1']];

  async function failing(words: readonly string[], env: Record<string, string>) {
    const { code, stdout, stderr } = await runCli(['outbox', ...words], { env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    for (const part of [SECRET, database.server.password, '127.0.0.1'])
      expect(stderr, 'nothing of the address is shown').not.toContain(part);
    return errorLines(stderr);
  }

  it.each([...WORDS, ['run']].map(words => [words.join(' '), words] as const))(
    'msg outbox %s asks for its address',
    async (_, words) => {
      expect(await failing(words, {})).toEqual({
        error: 'error: MSG_INVALID_ARGUMENT: the address of the outbox is required',
        tries: SITUATIONS.outboxAddressMissing.remedy,
        sees: 'docs/postgres.md',
      });
    },
  );

  it.each(WORDS.map(words => [words.join(' '), words] as const))(
    'msg outbox %s tells why',
    async (_, words) => {
      const url = (port: number, user: string) => ({
        MSG_OUTBOX_POSTGRES_URL: `postgres://${user}:${SECRET}@127.0.0.1:${port}/shop`,
      });
      expect(await failing(words, url(await freePort(), 'admin'))).toMatchObject({
        error: 'error: MSG_BROKER_NOT_READY: the database of the outbox cannot be reached: ECONNREFUSED',
        tries: SITUATIONS.outboxAway.remedy,
      });
      expect(await failing(words, url(database.server.port, 'admin'))).toMatchObject({
        error: 'error: MSG_AUTH_DENIED: the database of the outbox refuses the role: 28P01',
        tries: SITUATIONS.outboxRole.remedy,
      });
      const file = await failing(words, { MSG_OUTBOX_POSTGRES_URL: `mysql://app:${SECRET}@127.0.0.1/shop` });
      expect(file.error).toMatch(/must be postgres:\/\/user:password@host:port\/database$/);
    },
  );

  it('a schema that was not made is named with the command that makes it', async () => {
    for (const words of [['status'], ['dead', 'list'], ['dead', 'retry', '1'], ['dead', 'discard', '1']]) {
      const { error, tries } = await failing([...words, '--schema', 'none'], database.env());
      expect(error).toMatch(/^error: MSG_INVALID_ARGUMENT: the outbox schema "none" /);
      expect(tries).toBe(SITUATIONS.outboxSchema.remedy);
    }
  });

  it('a role without rights is refused', async () => {
    const schema = await migrated();
    database.server.addRole('guest');
    for (const words of [['migrate'], ['status'], ['dead', 'list'], ['dead', 'retry', '1']]) {
      const { error } = await failing([...words, '--schema', schema], database.env('guest'));
      expect(error).toBe('error: MSG_AUTH_DENIED: the database of the outbox refuses the role: 42501');
    }
  });
});

describe('msg outbox run', () => {
  function start(words: string, env: Record<string, string>): ShellProcess {
    const line = `exec "${process.execPath}" "${MSG_BIN}" outbox run ${words}`;
    const worker = new ShellProcess(line, { cwd: process.cwd(), env: { ...database.env(), ...env } });
    onTestFinished(() => worker.stop());
    return worker;
  }

  const bearer = () => service.msg.tokens.issueManagement().token;

  it.each(['SIGTERM', 'SIGINT'] as const)('publishes in order and ends cleanly at %s', async signal => {
    const schema = await migrated();
    const channel = `public:shop.${signal.toLowerCase()}`;
    await service.msg.channels.openPublic(channel);
    const token = bearer();
    const worker = start(`--schema ${schema}`, { MSG_SERVER: service.url, MSG_TOKEN: token });
    await worker.printed('stderr', /outbox: working/);
    const texts = Array.from({ length: 20 }, (_, n) => `${n}`);
    database.publish(schema, channel, ...texts);
    await eventually('the outbox is empty', () => count(schema) === '0');
    process.kill(worker.pid, signal);
    await worker.succeeded();
    const envelope = JSON.parse(worker.stdout) as { kind: string; payload: Record<string, unknown> };
    expect([envelope.kind, envelope.payload['published']]).toEqual(['msg.outbox.run', 20]);
    const rpc = createRpcClient({ server: service.url, token, fetch });
    const { publications } = await rpc.call('History', { name: channel, limit: 100 });
    expect(publications.map(({ data }) => data)).toEqual(texts);
    const written = worker.stdout + worker.stderr;
    for (const part of [database.server.password, token]) expect(written).not.toContain(part);
    expect(database.sql(`SELECT count(*) FROM ${schema}.outbox_partition WHERE owner IS NOT NULL`)).toBe('0');
  });

  it('opens public channels where it may, and reads the settings of a file', async () => {
    const schema = await migrated();
    const config = join(await temporaryFolder(), 'msg.yaml');
    const settings = `open_channels: auto, poll_interval: 20ms, postgres: { schema: ${schema} }`;
    writeFileSync(config, `outbox: { ${settings} }`);
    const worker = start(`--config "${config}"`, { MSG_SERVER: service.url, MSG_TOKEN: bearer() });
    await worker.printed('stderr', /outbox: working/);
    database.publish(schema, 'public:shop.not-open', '1');
    await eventually('the outbox is empty', () => count(schema) === '0');
    expect(await service.msg.channels.list()).toContainEqual(
      expect.objectContaining({ name: 'public:shop.not-open' }),
    );
  });

  it('serves its figures and health, as the service does', async () => {
    const schema = await migrated();
    database.bury(schema, 'public:shop.figures', 'uncertain', 2);
    const addr = `127.0.0.1:${await freePort()}`;
    const env = { MSG_SERVER: service.url, MSG_TOKEN: bearer(), MSG_METRICS_TOKEN: 'for-prometheus' };
    const worker = start(`--schema ${schema} --metrics-addr ${addr}`, env);
    await worker.printed('stderr', new RegExp(`"metrics":"${addr}".*outbox: working`));
    await service.msg.channels.openPublic('public:shop.figures');
    database.publish(schema, 'public:shop.figures', '1', '2', '3');
    const get = (path: string, init: RequestInit = {}) => fetch(`http://${addr}${path}`, init);
    const figures = async () => {
      const answer = await get('/metrics', { headers: { authorization: 'Bearer for-prometheus' } });
      return (await answer.text()).split('\n').filter(line => /^msg_(outbox|subsystem)/.test(line));
    };
    await eventually('three rows are published and counted', async () =>
      (await figures()).includes('msg_outbox_published_total 3'),
    );
    expect(await figures()).toEqual([
      'msg_subsystem_up{subsystem="outbox"} 1',
      expect.stringMatching(/^msg_outbox_rows [03]$/),
      expect.stringMatching(/^msg_outbox_oldest_seconds /),
      'msg_outbox_dead_rows 2',
      'msg_outbox_published_total 3',
      'msg_outbox_lease_takeovers_total 0',
    ]);
    expect([(await get('/metrics')).status, (await get('/')).status]).toEqual([401, 404]);
    expect((await get('/healthz', { method: 'POST' })).status).toBe(405);
    const ready = await get('/readyz');
    expect([ready.status, await ready.json()]).toEqual([
      200,
      { ready: true, subsystems: { outbox: { ok: true, detail: expect.any(String) } } },
    ]);
    expect((await get('/healthz')).status).toBe(200);
  });

  it('is not ready while the service refuses its bearer, and refuses an address in use', async () => {
    const schema = await migrated();
    database.publish(schema, 'public:shop.later', '1');
    const addr = `127.0.0.1:${await freePort()}`;
    const env = { MSG_SERVER: service.url, MSG_TOKEN: 'not-a-token' };
    const worker = start(`--schema ${schema} --metrics-addr ${addr}`, env);
    await worker.printed('stderr', /outbox: waiting/);
    const ready = await fetch(`http://${addr}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([
      503,
      {
        ready: false,
        subsystems: { outbox: { ok: false, detail: expect.stringContaining('MSG_AUTH_DENIED') } },
      },
    ]);
    for (const taken of [addr, 'nowhere']) {
      const words = ['run', '--schema', schema, '--metrics-addr', taken];
      const { code, stderr } = await runCli(['outbox', ...words], { env: { ...database.env(), ...env } });
      expect([code, errorLines(stderr).error]).toEqual([1, expect.stringContaining('--metrics-addr: ')]);
    }
  });

  it('waits for a service that is away and one that refuses its bearer, and says so', async () => {
    const schema = await migrated();
    database.publish(schema, 'public:shop.later', '1');
    const refused = start(`--schema ${schema}`, { MSG_SERVER: service.url, MSG_TOKEN: 'not-a-token' });
    await refused.printed('stderr', /outbox: waiting/);
    expect(logRecords(refused.stderr)).toContainEqual(
      expect.objectContaining({ where: 'service', code: 'MSG_AUTH_DENIED' }),
    );
    const nobody = `http://127.0.0.1:${await freePort()}`;
    const away = start(`--schema ${schema}`, { MSG_SERVER: nobody, MSG_TOKEN: bearer() });
    await away.printed('stderr', /"code":"MSG_BROKER_NOT_READY"/);
    expect(count(schema)).toBe('1');
  });
});

describe('msg outbox dead', () => {
  it('lists by code, channel and page', async () => {
    const schema = await migrated();
    const first = database.bury(schema, 'public:shop.a', 'MSG_INVALID_ARGUMENT', 2);
    const second = database.bury(schema, 'public:shop.b', 'uncertain', 1);
    const ids = async (...words: readonly string[]) => {
      const { envelope } = await outbox('dead', 'list', ...words, '--schema', schema);
      const { items, next_after: next } = { ...envelope?.payload };
      return [(items as { id: string }[]).map(({ id }) => id), next];
    };
    expect(await ids()).toEqual([[...first, ...second], undefined]);
    expect(await ids('--code', 'uncertain')).toEqual([second, undefined]);
    expect(await ids('--channel', 'public:shop.a')).toEqual([first, undefined]);
    expect(await ids('--limit', '2')).toEqual([first, first[1]]);
    expect(await ids('--limit', '2', '--after', first[1] ?? '')).toEqual([second, undefined]);
    const { stdout } = await outbox('dead', 'list', '--schema', schema);
    expect(stdout, 'payloads are not listed').not.toContain('dead 0');
  });

  it.each(['retry', 'discard'])(
    '%s takes ids, a code, a channel, or all; never all by mistake',
    async verb => {
      const schema = await migrated();
      const ids = database.bury(schema, 'public:shop.a', 'MSG_INVALID_ARGUMENT', 3);
      database.bury(schema, 'public:shop.b', 'uncertain', 1);
      const change = (...words: readonly string[]) => outbox('dead', verb, ...words, '--schema', schema);
      for (const words of [[], ['--all', '--code', 'uncertain'], ['--all', '1']]) {
        const { code, stderr } = await change(...words);
        expect(code).toBe(1);
        expect(errorLines(stderr).error).toMatch(/ids, --code or --channel; or --all alone$/);
      }
      expect(errorLines((await change('x')).stderr).error).toMatch(/must be a number; got "x"$/);
      expect(count(schema, 'outbox_dead')).toBe('4');
      const member = verb === 'retry' ? 'retried' : 'discarded';
      const changed = async (...words: readonly string[]) => (await change(...words)).envelope?.payload;
      expect(await changed(ids[0] ?? '', '999')).toEqual({ [member]: 1 });
      expect(await changed('--code', 'uncertain')).toEqual({ [member]: 1 });
      expect(await changed('--all')).toEqual({ [member]: 2 });
      expect(count(schema)).toBe(verb === 'retry' ? '4' : '0');
    },
  );
});

it('a service that sets no bound leaves the one of the database; one that sets it, sets it at each start', async () => {
  const schema = await migrated();
  const bound = () => database.sql(`SELECT max_rows FROM ${schema}.outbox_state`);
  const serve = async (settings: string, expected: string) => {
    const config = join(await temporaryFolder(), 'msg.yaml');
    writeFileSync(config, `outbox: { postgres: { schema: ${schema} }${settings} }`);
    const server = await startServer({ args: ['--config', config], env: database.env() });
    await eventually(`the bound is ${expected}`, async () => {
      const answer = await (await fetch(`${server.url}/readyz`)).json();
      return JSON.stringify(answer).includes('"running"') && bound() === expected;
    });
    await server.stop();
  };
  await serve(', max_rows: 5', '5');
  await serve('', '5');
  await serve(', max_rows: 0', '0');
});
