import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '#src/document/json.ts';
import { ask, post, Serving } from '../../http/serving.ts';
import { tablesOf } from '../asked.ts';
import { Shop } from '../shop.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
/** What a browser adds to the requests of a page of the server. */
const BROWSER = { ...JSON_TYPE, 'sec-fetch-site': 'same-origin' };
const STORED = 'SELECT 1 AS stored_one WHERE $1::int < 9';

let shop: Shop;
let root: string;
let serving: Serving;

beforeAll(async () => {
  const settings = { logging_collector: 'on', log_statement: 'all', log_directory: 'log' };
  shop = await Shop.open({ settings });
  root = await mkdtemp(join(tmpdir(), 'dash-sql-review-'));
  const query = { text: STORED, params: [{ $var: 'limit' }] };
  const document = tablesOf({ shop: shop.connection({ cache: 0 }) }, { rows: { connection: 'shop', query } });
  const manifest = { ...(document['manifest'] as JsonObject), id: 'shop' };
  const variables = [{ name: 'limit', type: 'number', default: 1 }];
  await writeFile(join(root, 'shop.json'), JSON.stringify({ ...document, manifest, variables }));
  serving = await Serving.start(['--root', root, '--allow-query', shop.allow], shop.environment);
}, 120_000);
afterAll(async () => {
  await serving?.stop();
  await shop?.close();
  await rm(root, { recursive: true, force: true });
});

/** Lines of the database's own log, in which every statement stands that it was sent, with its parameters. */
const loggedWith = (text: string): string[] =>
  shop.server
    .sql('SELECT pg_read_file(pg_current_logfile())')
    .split('\n')
    .filter(line => line.includes(text));

const replaced = (path: string, value: Json): JsonObject => ({ op: 'replace', path, value });
const asking = (text: string): JsonObject => replaced('/rows/config/query', { text });
const chart: JsonObject = {
  kind: 'bar',
  x: 'region',
  series: [{ field: 'id' }],
  connectionId: 'shop',
  query: { text: 'SELECT id, region FROM orders ORDER BY id LIMIT 4' },
};
const added: JsonObject = {
  op: 'add',
  path: '/body/children/-',
  value: {
    id: 'more-block',
    type: 'block',
    config: { content: { id: 'more', type: 'chart', config: chart } },
  },
};

/** Ways in which a proposal makes a dashboard ask something else, and what the database would log of each. */
const CHANGES: readonly (readonly [what: string, ops: readonly JsonObject[], trace: string])[] = [
  ['a new statement', [asking('SELECT 3 AS new_three')], 'new_three'],
  ['a new parameter', [replaced('/rows/config/query', { text: STORED, params: [5] })], "$1 = '5'"],
  ['a variable that is a parameter', [replaced('/$variables/0/default', 6)], "$1 = '6'"],
  ['a new item', [added], 'LIMIT 4'],
  [
    'a new connection for the stored statement',
    [
      { op: 'add', path: '/$connections/0/config/searchPath', value: 'other_schema' },
      asking('SELECT 7 AS new_seven'),
    ],
    'new_seven',
  ],
];

/** Every page and answer that shows a proposal. */
async function lookAt(name: string): Promise<string> {
  const paths = [
    `/r/${name}`,
    `/r/${name}?$view=page`,
    `/r/${name}/json`,
    `/api/proposals/${name}`,
    '/review',
  ];
  const pages: string[] = [];
  for (const path of paths) pages.push((await ask(`${serving.url}${path}`)).text);
  return pages.join('\n');
}

async function handOver(ops: readonly JsonObject[], headers: Record<string, string>): Promise<string> {
  const { status, body } = await post(`${serving.url}/api/proposals`, { id: 'shop', ops }, headers);
  expect(status).toBe(201);
  return body.proposal;
}

describe.each([
  ['by a link', BROWSER, '1 query of a link, which anybody can write, not run yet.'],
  ['by a program', JSON_TYPE, '1 query of a proposal, not run yet.'],
] as const)('a proposal that came %s', (way, headers, words) => {
  it.each(CHANGES)('does not ask a database because of %s', async (_, ops, trace) => {
    const former = loggedWith(trace).length;
    const stored = loggedWith('stored_one').length;
    const title = { op: 'add', path: '/$manifest/title', value: way };
    const name = await handOver([...ops, title], headers);
    expect(await lookAt(name)).toContain(words);
    expect(loggedWith(trace)).toHaveLength(former);
    // The log is the right one: what the stored document asks is in it.
    expect(loggedWith('stored_one').length).toBeGreaterThan(stored);
  });

  it('asks it when a person lets it', async () => {
    const text = `SELECT region AS of_${headers === BROWSER ? 'link' : 'program'} FROM orders ORDER BY id LIMIT 2`;
    const name = await handOver([asking(text)], headers);
    expect(await lookAt(name)).not.toMatch(/>r1</);
    expect((await post(`${serving.url}/api/proposals/${name}/run`, {}, BROWSER)).status).toBe(200);
    expect(await lookAt(name)).toMatch(/>r1</);
    expect(loggedWith(text).length).toBeGreaterThan(0);
  });
});

it('a page of elsewhere cannot let it', async () => {
  const name = await handOver([asking('SELECT 8 AS new_eight')], BROWSER);
  for (const site of ['cross-site', 'same-site']) {
    const headers = { ...JSON_TYPE, 'sec-fetch-site': site };
    const answer = await post(`${serving.url}/api/proposals/${name}/run`, {}, headers);
    expect([answer.status, answer.body.code]).toEqual([403, 'SERVE_ORIGIN_FORBIDDEN']);
  }
  expect(await lookAt(name)).toContain('not run yet');
  expect(loggedWith('new_eight')).toEqual([]);
});
