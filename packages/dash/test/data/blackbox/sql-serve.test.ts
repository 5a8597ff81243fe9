import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { localhostCertificate } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#src/document/json.ts';
import { ask, post, Serving } from '../../http/serving.ts';
import { tablesOf } from '../asked.ts';
import { Shop } from '../shop.ts';

/** A module that a process starts with, for which no driver is installed. */
const WITHOUT_PEERS = fileURLToPath(new URL('../without-peers.mjs', import.meta.url));
const JSON_TYPE = { 'content-type': 'application/json' };

let shop: Shop;
let root: string;
let serving: Serving;
let args: string[];
let env: Record<string, string>;

/** Answers that end at their bounds. */
const usual: Readonly<Record<string, string>> = {
  many: 'SELECT * FROM generate_series(1, 10000) n',
  wide: "SELECT repeat('x', 1000000) FROM generate_series(1, 7)",
};
/** Answers that hardly end. */
const texts: Readonly<Record<string, string>> = {
  many: 'SELECT * FROM generate_series(1, 10000000) n',
  streamed: "SELECT generate_series(1, 10000000), repeat('x', 20)",
  wide: "SELECT repeat('x', 1000000) FROM generate_series(1, 100000)",
  cell: "SELECT repeat(repeat('x', 1000000), 500)",
  good: 'SELECT count(*) AS n FROM orders',
};

async function store(id: string, document: JsonObject): Promise<void> {
  const manifest = { ...(document['manifest'] as JsonObject), id };
  await writeFile(join(root, `${id}.json`), JSON.stringify({ ...document, manifest }));
}

beforeAll(async () => {
  shop = await Shop.open({ tls: localhostCertificate() });
  root = await mkdtemp(join(tmpdir(), 'dash-sql-'));
  const items = (names: string[]) =>
    Object.fromEntries(names.map(name => [name, { connection: 'shop', query: { text: texts[name] ?? '' } }]));
  await store('all', tablesOf({ shop: shop.connection({ cache: 0 }) }, items(Object.keys(texts))));
  await store('good', tablesOf({ shop: shop.connection() }, items(['good'])));
  const url = shop.server.url('reader', 'localhost');
  const checked = shop.connection({ ssl: 'verify-full', url });
  await store('checked', tablesOf({ shop: checked }, items(['good'])));
  const trusted = join(root, 'trusted.pem');
  await writeFile(trusted, localhostCertificate().cert);
  args = [
    '--root',
    root,
    '--allow-query',
    shop.allow,
    '--allow-query',
    shop.allow.replace('127.0.0.1', 'localhost'),
  ];
  env = {
    ...shop.environment,
    NODE_EXTRA_CA_CERTS: trusted,
    PGUSER: 'admin',
    PGPASSWORD: 'x',
    PGSSL: 'require',
  };
  serving = await Serving.start(args, env);
}, 120_000);
afterAll(async () => {
  await serving?.stop();
  await shop?.close();
  await rm(root, { recursive: true, force: true });
});

const data = (id: string, parameters = '', of = serving) =>
  post(`${of.url}/api/d/${id}/data${parameters}`, {}, JSON_TYPE);

it('a process grows by less than 64 MiB over answers of any size', { timeout: 120_000 }, () => {
  const { allow, environment } = shop;
  const connection = shop.connection({ cache: 0 });
  const asked = {
    allow,
    environment,
    connection,
    usual: Object.values(usual),
    hostile: Object.values(texts),
  };
  const program = fileURLToPath(new URL('../memory-of-answers.ts', import.meta.url));
  // The bounds that `dashdoc serve` sets itself (bin/bounded-heap.js).
  const bounds = ['--max-semi-space-size=4', '--heap-growing-percent=50'];
  const how = [...bounds, '--conditions=msg-source', '--disable-warning=ExperimentalWarning'];
  const output = execFileSync(process.execPath, [...how, program, JSON.stringify(asked)], {
    encoding: 'utf8',
  });
  const { codes, grownMib } = JSON.parse(output) as { codes: string[]; grownMib: number };
  const once = ['ready', 'ready', 'QUERY_TOO_LARGE', 'QUERY_TOO_LARGE', 'ready'];
  expect(codes).toEqual([...once, ...once]);
  expect(grownMib).toBeLessThan(64);
});

/** Rows of five cells, as many as are taken. */
const large = (name: string): string =>
  `SELECT n, n * 2 AS twice, 'row ' || n AS name, now() AS at, '${name}' AS k FROM generate_series(1, 10001) n`;

it('a server grows by less than 64 MiB while four items of 10,000 rows are asked for again and again', {
  timeout: 240_000,
}, async () => {
  const names = ['a', 'b', 'c', 'd'];
  const item = (name: string) => [name, { connection: 'shop', query: { text: large(name) } }] as const;
  const connections = { shop: shop.connection({ cache: 0 }) };
  await store('four', tablesOf(connections, Object.fromEntries(names.map(item))));
  // What a process holds grows with what else the machine does, since V8 collects later then; what it needs does not: a
  // heap of 64 MiB, the program's own included, is enough for all of them, or the server ends out of memory.
  const asked = await Serving.start(args, { ...env, NODE_OPTIONS: '--max-old-space-size=64' });
  try {
    for (let round = 0; round < 9; round++) {
      const { body } = await data('four', '', asked);
      for (const name of names)
        expect(body.items[name]).toMatchObject({ truncated: true, rows: { length: 10_000 } });
    }
  } finally {
    await asked.stop();
  }
});

describe('a server that may ask a database', () => {
  it('shows other items beside answers that never end, and answers meanwhile', {
    timeout: 120_000,
  }, async () => {
    let isOver = false;
    const watching = (async () => {
      while (!isOver) expect((await ask(`${serving.url}/healthz`)).status).toBe(200);
    })();
    const { body } = await data('all');
    isOver = true;
    await watching;
    expect(body.items.good.rows).toEqual([{ n: 1_000 }]);
    for (const name of ['many', 'streamed'])
      expect(body.items[name]).toMatchObject({ truncated: true, rows: { length: 10_000 } });
    for (const name of ['wide', 'cell']) expect(body.items[name].error.code).toBe('QUERY_TOO_LARGE');
  });

  it('runs no query that comes with a link', async () => {
    const query = encodeURIComponent(JSON.stringify({ text: 'SELECT * FROM orders' }));
    const { body } = await data('good', `?good.query=${query}`);
    expect(body.items.good.error.code).toBe('QUERY_OVERRIDE_FORBIDDEN');
  });

  it('asks over TLS whose certificate and name are right', async () => {
    const { body } = await data('checked');
    expect(body.items.good.rows).toEqual([{ n: 1_000 }]);
  });

  it('names the command that installs the driver, where it is missing', async () => {
    const without = await Serving.start(args, { ...env, NODE_OPTIONS: `--import=${WITHOUT_PEERS}` });
    try {
      const { body } = await data('good', '', without);
      expect(body.items.good.error).toMatchObject({
        code: 'QUERY_DRIVER_MISSING',
        message: expect.stringContaining('npm install postgres'),
        details: { install: 'npm install postgres' },
      });
      expect((await ask(`${without.url}/d/good?render=all`)).text).toContain('npm install postgres');
    } finally {
      await without.stop();
    }
  });
});
