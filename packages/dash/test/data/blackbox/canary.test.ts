import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeServer } from '@msg/testkit';
import { PostgresServer } from '@msg/testkit/postgres';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { canonicalBytes } from '#src/document/canonical.ts';
import type { JsonObject } from '#src/document/json.ts';
import { DashError } from '#src/errors.ts';
import { openDocumentEngine } from '#src/reads/document-engine.ts';
import { fullDashdoc } from '../../cli/console.ts';
import { ask, post, Serving } from '../../http/serving.ts';
import { storeAt } from '../../store/stores.ts';
import { type ConnectionRow, sourcesOf, tablesOf } from '../asked.ts';
import { answerEcho, CANARY, FORMS, HTTP_ECHOES, PROMETHEUS_ECHOES, tracesIn } from '../canary.ts';
import { everythingIn } from '../everything-in.ts';
import { Listener } from '../listeners.ts';
import { OrdersChannel } from '../orders-channel.ts';

interface Hostile {
  readonly connection: ConnectionRow;
  readonly query?: JsonObject;
}

const SECRET = { $secret: 'CANARY' };
const BEARER = { $secret: 'CANARY', prefix: 'Bearer ' };
const environment = { CANARY };
const echoing = createServer(answerEcho);
let echoUrl: string;
let database: PostgresServer;
let orders: OrdersChannel;
let trap: Listener;
let root: string;
let hostile: Hostile[];
let allow: string[];

const forms = Object.keys(FORMS);
const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Systems that were sent the secret and give it back. */
function echoes(): Hostile[] {
  const config = { headers: { authorization: BEARER }, cache: 3_600 };
  const http = Object.keys(HTTP_ECHOES).flatMap(echo =>
    forms.map(form => ({
      connection: { type: 'http', config: { url: `${echoUrl}/http/${echo}/${form}`, ...config } },
    })),
  );
  const prometheus = Object.keys(PROMETHEUS_ECHOES).flatMap(echo =>
    forms.map(form => ({
      connection: { type: 'prometheus', config: { url: `${echoUrl}/prometheus/${echo}/${form}`, ...config } },
      query: { expr: 'up', instant: true, legend: '{{job}}' },
    })),
  );
  const sql = forms.flatMap((form, index) => {
    const config = {
      url: database.url('reader'),
      password: SECRET,
      ssl: 'disable',
      timeout: 30,
      cache: 3_600,
    };
    const texts = [
      'SELECT word AS name, 1 AS n FROM echoes WHERE form = $1',
      'SELECT word::int AS n FROM echoes WHERE form = $1',
      'SELECT fail(word) FROM echoes WHERE form = $1',
      `SELECT * FROM named_${index} WHERE $1 <> ''`,
    ];
    return texts.map(text => ({ connection: { type: 'sql', config }, query: { text, params: [form] } }));
  });
  const msg = ['public:shop.orders', 'public:shop.short'].map(channel => ({
    connection: orders.connection({ channel, token: SECRET }),
  }));
  return [...http, ...prometheus, ...sql, ...msg];
}

/** Connections that would carry the secret to another system. */
function thefts(): Hostile[] {
  const elsewhere = `http://127.0.0.1:${trap.port}`;
  const http = (config: JsonObject) => ({ connection: { type: 'http', config } });
  const prometheus = (config: JsonObject) => ({
    connection: { type: 'prometheus', config },
    query: { expr: 'up' },
  });
  const sql = (config: JsonObject) => ({ connection: { type: 'sql', config }, query: { text: 'SELECT 1' } });
  const msg = (config: JsonObject) => ({ connection: { type: 'msg', config } });
  return [
    http({ url: { $secret: 'CANARY', prefix: `${elsewhere}/?` } }),
    http({ url: { $secret: 'CANARY', prefix: 'http://' } }),
    http({ url: elsewhere, query: { q: SECRET } }),
    http({ url: elsewhere, headers: { 'x-any': SECRET } }),
    http({ url: elsewhere, headers: { cookie: BEARER } }),
    http({ url: elsewhere, method: 'POST', body: { deep: { list: [SECRET] } } }),
    http({
      url: `${echoUrl.replace('127.0.0.1', 'localhost')}/http/cell/plain`,
      headers: { authorization: BEARER },
    }),
    prometheus({ url: elsewhere, headers: { authorization: BEARER } }),
    prometheus({ url: elsewhere, basic: { username: 'u', password: SECRET } }),
    prometheus({ url: elsewhere, basic: { username: SECRET, password: 'p' } }),
    sql({ url: `postgres://u@127.0.0.1:${trap.port}/d`, password: SECRET, ssl: 'disable' }),
    sql({ url: { $secret: 'CANARY', prefix: `postgres://u@127.0.0.1:${trap.port}/` } }),
    sql({
      url: database.url('reader').replace('127.0.0.1', 'localhost'),
      password: SECRET,
      searchPath: SECRET,
    }),
    msg({ url: `ws://127.0.0.1:${trap.port}/`, channel: 'public:shop.orders', token: SECRET }),
    msg({ url: `ws://127.0.0.1:${trap.port}/`, channel: SECRET }),
    msg({ url: { $secret: 'CANARY', prefix: `ws://127.0.0.1:${trap.port}/` }, channel: 'x' }),
  ];
}

/** A document of these, and a chart beside each table. */
function documentOf(id: string, part: readonly Hostile[]): JsonObject {
  const connections = Object.fromEntries(part.map(({ connection }, index) => [`c${index}`, connection]));
  const items = Object.fromEntries(
    part.map(({ query }, index) => [
      `i${index}`,
      query === undefined ? { connection: `c${index}` } : { connection: `c${index}`, query },
    ]),
  );
  const document = tablesOf(connections, items);
  const charts = part.map(({ query }, index) => ({
    id: `chart-block${index}`,
    type: 'block',
    config: {
      content: {
        id: `chart${index}`,
        type: 'chart',
        config: {
          ...{ kind: 'bar', connectionId: `c${index}`, x: query?.['expr'] ? 'series' : 'name' },
          ...{ series: [{ field: query?.['expr'] ? 'value' : 'n' }] },
          ...(query === undefined ? {} : { query }),
        },
      },
    },
  }));
  const more = { id: 'charts', type: 'container', children: charts };
  const page = document['root'] as { children: object[] };
  page.children.push(more);
  return { ...document, manifest: { formatVersion: '1.0.0', id, title: id } } as JsonObject;
}

beforeAll(async () => {
  await new Promise<void>(resolve => echoing.listen(0, '127.0.0.1', resolve));
  echoUrl = `http://127.0.0.1:${(echoing.address() as AddressInfo).port}`;
  [database, orders, trap] = await Promise.all([
    PostgresServer.start(),
    OrdersChannel.open(),
    Listener.open(),
  ]);
  database.sql(`
    CREATE ROLE reader LOGIN PASSWORD ${quoted(CANARY)};
    CREATE TABLE echoes (form text, word text);
    CREATE FUNCTION fail(word text) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '%', word; END $$;
    ${Object.entries(FORMS)
      .map(([form, make], index) => {
        const name = make(CANARY).slice(0, 60).replaceAll('"', '""');
        return `INSERT INTO echoes VALUES (${quoted(form)}, ${quoted(make(CANARY))});
          CREATE VIEW named_${index} AS SELECT 1 AS "${name}";`;
      })
      .join('\n')}
    GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader;
  `);
  for (const [name, form] of Object.entries(FORMS)) {
    await orders.publish({ name: form(CANARY), n: 1 });
    await orders.publish({ [form(CANARY)]: name }, 'public:shop.short');
  }
  allow = [echoUrl, database.origin, orders.origin].map(origin => `${origin}=CANARY`);
  allow.push(`ws://127.0.0.1:${trap.port}`, `http://127.0.0.1:${trap.port}`);
  const stolen = thefts();
  const all = [...echoes(), ...stolen];
  // The same thefts under other names, until there are two hundred connections.
  const repeated = Array.from({ length: Math.max(0, 200 - all.length) }, (_, index) => {
    const { connection, query } = stolen[index % stolen.length] as Hostile;
    const config = { ...connection.config, timeout: 1 + (index % 30) };
    return query === undefined
      ? { connection: { ...connection, config } }
      : { connection: { ...connection, config }, query };
  });
  hostile = [...all, ...repeated];
  root = await mkdtemp(join(tmpdir(), 'dash-canary-'));
}, 120_000);
afterAll(async () => {
  await Promise.all([database?.stop(), orders?.stop(), trap?.close(), closeServer(echoing)]);
  await rm(root, { recursive: true, force: true });
});

/** An address from a secret may be refused when its document is read: such have documents of their own. */
const isAddress = ({ connection }: Hostile): boolean => typeof connection.config['url'] === 'object';

function parts(): [string, JsonObject][] {
  const [alone, together] = [hostile.filter(isAddress), hostile.filter(row => !isAddress(row))];
  const groups = Array.from({ length: Math.ceil(together.length / 25) }, (_, index) =>
    together.slice(25 * index, 25 * (index + 1)),
  );
  return [...groups, ...alone.map(row => [row])].map((part, index) => {
    const id = `hostile-${index}`;
    return [id, documentOf(id, part)];
  });
}

it('a secret is in no answer, page, picture, log or git object after 200 hostile connections', async () => {
  expect(hostile.length).toBeGreaterThanOrEqual(200);
  const store = storeAt('git', root);
  for (const [id, document] of parts()) await store.save(id, canonicalBytes(document));
  const flags = allow.flatMap(entry => ['--allow-query', entry]);
  const serving = await Serving.start(['--store', 'git', '--root', root, ...flags], environment);
  const seen = new Map<string, string>();
  const json = { 'content-type': 'application/json' };
  for (const [id] of parts()) {
    const paths = [`/d/${id}?render=all`, `/d/${id}`, `/d/${id}/history`, `/api/d/${id}/tree`];
    for (const path of [...paths, ...Array.from({ length: 25 }, (_, n) => `/api/d/${id}/items/i${n}.csv`)]) {
      seen.set(path, JSON.stringify(await ask(`${serving.url}${path}`)));
    }
    for (const path of [`/api/d/${id}/data`, `/api/d/${id}/items`]) {
      seen.set(
        path,
        JSON.stringify(await ask(`${serving.url}${path}`, { method: 'POST', headers: json, body: '{}' })),
      );
    }
    const ops = [{ op: 'replace', path: '/$manifest/title', value: `Title of ${id}` }];
    const proposal = await post(`${serving.url}/api/proposals`, { id, ops }, json);
    seen.set(`proposal of ${id}`, JSON.stringify(proposal));
    seen.set(`review of ${id}`, JSON.stringify(await ask(`${serving.url}/r/${proposal.body.proposal}`)));
    seen.set(`commit of ${id}`, JSON.stringify(await post(`${serving.url}/api/patch`, { id, ops }, json)));
  }
  await serving.stop();
  seen.set('the log', `${serving.stdout}${serving.stderr}`);
  const objects = ['-C', root, 'cat-file', '--batch-all-objects', '--batch'];
  seen.set('git', execFileSync('git', objects, { encoding: 'latin1', maxBuffer: 256 * 1024 * 1024 }));
  const all = [...seen.values()].join('\n');
  // It was sent back and masked, and pictures were drawn.
  for (const text of ['•••', '<svg']) expect(all.includes(text), text).toBe(true);
  for (const code of ['QUERY_HOST_FORBIDDEN', 'QUERY_SECRET_FORBIDDEN', 'QUERY_FAILED'])
    expect(all).toContain(code);
  for (const [where, text] of seen) expect(tracesIn(text), where).toEqual([]);
  expect(trap.connections).toBe(0);
}, 240_000);

/** The text of a file, and of what stands in it as base64. */
const readable = (text: string): string =>
  `${text}\n${[...text.matchAll(/base64,([A-Za-z0-9+/=]+)/g)].map(([, data = '']) => Buffer.from(data, 'base64').toString()).join('\n')}`;

it('a secret is in no exported file, frozen document or picture, and in nothing that the commands say', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dash-canary-files-'));
  await mkdir(join(folder, 'out'));
  vi.stubEnv('CANARY', CANARY);
  try {
    const seen = new Map<string, string>();
    const flags = allow.flatMap(entry => ['--allow-query', entry]);
    for (const [id, document] of parts()) {
      await writeFile(join(folder, `${id}.json`), canonicalBytes(document));
      for (const [command, out] of [
        ['export', `${id}.html`],
        ['export', `frozen-${id}.out.json`],
        ['render', `${id}.svg`],
      ] as const) {
        const path = join(folder, 'out', out);
        const told = await fullDashdoc([command, id, '--root', folder, '--out', path, ...flags]);
        const written = told.status === 0 ? await readFile(path, 'utf8') : '';
        seen.set(`${command} ${out}`, `${told.stdout}${told.stderr}${readable(written)}`);
      }
    }
    const all = [...seen.values()].join('\n');
    // Rows came and were masked in files of each kind, and what failed was told.
    for (const end of ['.html', '.out.json', '.svg']) {
      const files = [...seen].filter(([where]) => where.endsWith(end)).map(([, text]) => text);
      expect(files.join('\n').includes('•••'), end).toBe(true);
    }
    for (const code of ['QUERY_HOST_FORBIDDEN', 'QUERY_SECRET_FORBIDDEN', 'QUERY_FAILED'])
      expect(all).toContain(code);
    for (const [where, text] of seen) expect(tracesIn(text), where).toEqual([]);
    expect(trap.connections).toBe(0);
  } finally {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  }
}, 240_000);

it('a secret is in nothing that the cache keeps, nor in the details of an error', async () => {
  const engine = openDocumentEngine();
  const sources = sourcesOf({ allow, environment });
  const answers: unknown[] = [];
  for (const [, document] of parts()) {
    try {
      const asked = sources.ask(engine.resolve(document, { environment }));
      for (const { now, later } of asked.values()) answers.push((await later) ?? now);
    } catch (error) {
      if (!(error instanceof DashError)) throw error;
      answers.push(error.toEnvelope());
    }
  }
  expect(tracesIn(JSON.stringify(answers))).toEqual([]);
  expect(JSON.stringify(answers).includes('•••')).toBe(true);
  // Not the environment, what is masked, and open connections.
  const kept = await everythingIn(sources, ['#environment', '#values', '#pattern', '#sources']);
  for (const text of ['•••', '/http/cell/plain']) expect(kept.includes(text), text).toBe(true);
  expect(tracesIn(kept)).toEqual([]);
  // The search itself finds what is there.
  expect(tracesIn(await everythingIn(new Map([['a', { deep: [FORMS['base64']?.(CANARY)] }]])))).not.toEqual(
    [],
  );
  await sources.close();
}, 120_000);
