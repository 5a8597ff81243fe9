import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#src/document/json.ts';
import { ask, post, Serving } from '../../http/serving.ts';
import { tablesOf } from '../asked.ts';
import { MISDEEDS, MisbehavingServer } from '../misbehaving-server.ts';

let server: MisbehavingServer;
let serving: Serving;
let root: string;

const rowsOf = (path: string, config: JsonObject = {}) => ({
  type: 'http',
  config: { url: `${server.url}${path}`, ...config },
});

/** Fifty tables over five queries of one connection. */
const fifty = (): JsonObject =>
  tablesOf(
    // A hundred viewers at once may keep a busy machine longer than the usual ten seconds.
    { rows: rowsOf('/rows', { cache: 3_600, timeout: 30 }) },
    Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [
        `item-${index}`,
        { connection: 'rows', query: { n: index % 5 } },
      ]),
    ),
  );

/** A table for each misdeed and one whose rows come. */
const hostile = (): JsonObject => {
  const names = MISDEEDS.map(path => path.slice(1));
  const connections = names.map(name => [name, rowsOf(`/${name}`, { cache: 0, timeout: 3 })] as const);
  const items = names.map(name => [`bad-${name}`, { connection: name }] as const);
  return tablesOf(
    { ...Object.fromEntries(connections), good: rowsOf('/rows') },
    { ...Object.fromEntries(items), good: { connection: 'good' } },
  );
};

async function store(name: string, document: JsonObject): Promise<void> {
  const manifest = { ...(document['manifest'] as JsonObject), id: name };
  await writeFile(join(root, `${name}.json`), JSON.stringify({ ...document, manifest }));
}

const JSON_TYPE = { 'content-type': 'application/json' };
const data = (name: string, parameters = '') =>
  post(`${serving.url}/api/d/${name}/data${parameters}`, {}, JSON_TYPE);

beforeAll(async () => {
  server = await MisbehavingServer.start();
  root = await mkdtemp(join(tmpdir(), 'dash-serve-'));
  const allowed = join(root, 'allowed.txt');
  await writeFile(allowed, `# what may be asked\n\n${server.url}=TOKEN\n`);
  await store('fifty', fifty());
  await store('hostile', hostile());
  const rows = rowsOf('/rows?refreshed', { refresh: 30 });
  await store(
    'refreshed',
    tablesOf({ rows, slow: rowsOf('/rows', { refresh: 600 }) }, { a: { connection: 'rows' } }),
  );
  await store('silent', tablesOf({ silent: rowsOf('/silent') }, { silent: { connection: 'silent' } }));
  await store(
    'other',
    tablesOf(
      { other: { type: 'http', config: { url: 'http://127.0.0.1:1/x' } } },
      { other: { connection: 'other' } },
    ),
  );
  const proxy = { HTTP_PROXY: server.url, http_proxy: server.url, NODE_USE_ENV_PROXY: '1' };
  serving = await Serving.start(['--root', root, '--allow-query-file', allowed], proxy);
});
afterAll(async () => {
  await serving?.stop();
  await server?.stop();
  await rm(root, { recursive: true, force: true });
});

describe('a server that may ask an origin', () => {
  it('makes five requests for fifty items over five queries, and none more for a hundred viewers', async () => {
    const viewers = Array.from({ length: 100 }, () => data('fifty'));
    const answers = await Promise.all(viewers);
    for (const { body } of answers) {
      expect(Object.keys(body.items)).toHaveLength(50);
      for (const item of Object.values(body.items)) expect(item).toMatchObject({ rows: [{ region: 'eu' }] });
    }
    expect(server.requests.filter(request => request.startsWith('GET /rows?n='))).toHaveLength(5);
    const page = await ask(`${serving.url}/d/fifty`);
    expect(page.text.match(/data-state="ready"/g)?.length).toBeGreaterThanOrEqual(50);
    expect(server.requests.filter(request => request.startsWith('GET /rows?n='))).toHaveLength(5);
    const { body } = await data('fifty');
    expect(body.items['item-3']).toMatchObject({
      asked: { n: 3 },
      age: expect.any(Number),
      took: expect.any(Number),
    });
  });

  it('tells the page when to ask again, where a connection says so', async () => {
    expect((await ask(`${serving.url}/d/refreshed`)).text).toMatch(/<body[^>]* data-refresh="30"/);
    expect((await ask(`${serving.url}/d/fifty`)).text).not.toContain('data-refresh');
  });

  it('ends what is asked when the last viewer has left', async () => {
    const before = server.cancelled;
    const ending = [new AbortController(), new AbortController()];
    const viewers = ending.map(({ signal }) =>
      fetch(`${serving.url}/api/d/silent/items`, { method: 'POST', headers: JSON_TYPE, body: '{}', signal })
        .then(answer => answer.text())
        .catch(() => 'left'),
    );
    await eventually('the request', () => server.requests.includes('GET /silent'));
    ending[0]?.abort();
    expect(await viewers[0]).toBe('left');
    expect(server.cancelled).toBe(before);
    ending[1]?.abort();
    await eventually('the end of the request', () => server.cancelled === before + 1);
    expect(server.requests.filter(request => request === 'GET /silent')).toHaveLength(1);
  });

  it('asks no other, and says with which flag it would', async () => {
    const { body } = await data('other');
    expect(body.items.other.error).toMatchObject({
      code: 'QUERY_HOST_FORBIDDEN',
      details: { origin: 'http://127.0.0.1:1' },
    });
    const page = await ask(`${serving.url}/d/other?render=all`);
    expect(page.text).toContain('start with --allow-query http://127.0.0.1:1');
  });

  it('runs no query that comes with a link', async () => {
    const before = server.requests.length;
    const parameters = `?item-0.query=${encodeURIComponent('{"n":"stolen"}')}`;
    const { body } = await data('fifty', parameters);
    expect(body.items['item-0'].error.code).toBe('QUERY_OVERRIDE_FORBIDDEN');
    expect(body.items['item-1'].rows).toHaveLength(1);
    expect(server.requests.slice(before)).toEqual([]);
  });

  it('answers rows as CSV, and the code where they cannot be had', async () => {
    const csv = await ask(`${serving.url}/api/d/fifty/items/item-0.csv`);
    expect([csv.status, csv.text.trim().split(/\r?\n/)]).toEqual([200, ['region,p95', 'eu,184']]);
    const failed = await ask(`${serving.url}/api/d/hostile/items/bad-html.csv`);
    expect([failed.status, JSON.parse(failed.text).code]).toEqual([502, 'QUERY_RESPONSE_INVALID']);
    const forbidden = await ask(`${serving.url}/api/d/other/items/other.csv`);
    expect([forbidden.status, JSON.parse(forbidden.text).code]).toEqual([422, 'QUERY_HOST_FORBIDDEN']);
  });

  it('loses nothing but their items to systems that misbehave: other items are drawn, and it answers meanwhile', async () => {
    const before = serving.residentMib;
    let most = 0;
    let isOver = false;
    const watching = (async () => {
      while (!isOver) {
        expect((await ask(`${serving.url}/healthz`)).status).toBe(200);
        most = Math.max(most, serving.residentMib);
      }
    })();
    const { body } = await data('hostile');
    isOver = true;
    await watching;
    expect(body.items.good.rows).toEqual([{ region: 'eu', p95: 184 }]);
    for (const path of MISDEEDS) expect(body.items[`bad-${path.slice(1)}`].error.code).toMatch(/^QUERY_/);
    expect(most - before).toBeLessThan(64);
  });
});

it.each([
  ['--allow-query', 'http://*.example'],
  ['--allow-query', 'prom'],
  ['--allow-query-file', '/no/such/file'],
])('a server with %s %s does not start', async (flag, value) => {
  const { status, stderr } = await Serving.failing(['--root', root, flag, value]);
  expect(status).toBe(flag === '--allow-query' ? 2 : 1);
  expect(stderr).toContain(flag === '--allow-query' ? flag : value);
});
