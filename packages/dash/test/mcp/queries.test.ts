import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AllowedOrigins } from '#src/data/dial/allowed-origins.ts';
import { DataSources } from '#src/data/sources.ts';
import type { Json, JsonObject } from '#src/document/json.ts';
import { createDashServer } from '#src/mcp/server.ts';
import { documentEngine } from '#src/reads/document-engine.ts';
import { catalog } from '../resolve/team-pulse.ts';
import { toolsOn } from './in-process.ts';

const ROWS = [
  { route: '/pay', ms: 12 },
  { route: '/cart', ms: 30 },
];
const engine = documentEngine(catalog, { environment: {} });

/** What the server answers, by path. */
const ANSWERS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/rows': response => response.end(JSON.stringify(ROWS)),
  '/none': response => response.end('[]'),
  '/many': response => response.end(`[${'1,'.repeat(50_000)}1]`),
  '/long': response => response.end(JSON.stringify([{ text: 'x'.repeat(500) }])),
  '/broken': response => response.writeHead(500).end('{"trouble":true}'),
};
const asked: string[] = [];
let http: Server;
let origin: string;
let tools: Awaited<ReturnType<typeof toolsOn>>;
let unallowed: Awaited<ReturnType<typeof toolsOn>>;
let sources: DataSources;

const table = (id: string, connectionId: string): JsonObject => ({
  id: `${id}-block`,
  type: 'block',
  config: { content: { id, type: 'table', config: { connectionId } } },
});

/** A page with an untouched table, over connections of every kind of answer. */
function dashboard(): JsonObject {
  const paths = Object.keys(ANSWERS).map(path => path.slice(1));
  const connections: JsonObject[] = paths.map(path => ({
    ...{ id: path, type: 'http', config: { url: `${origin}/${path}`, cache: 0 } },
  }));
  return {
    manifest: { formatVersion: '1.0.0', id: 'live' },
    variables: [{ name: 'page', type: 'string', default: 'first' }],
    connections: [
      ...connections,
      { id: 'own', type: 'static', config: { rows: ROWS } },
      { id: 'old', type: 'http@1.0.0', config: { url: `${origin}/rows` } },
    ],
    root: {
      id: 'page',
      type: 'container',
      children: [{ id: 'body', type: 'container', children: [table('stays', 'rows')] }],
    },
  };
}

const added = (...ids: readonly string[]): Json[] =>
  ids.map(id => ({ op: 'add', path: '/body/children/-', value: table(`t-${id}`, id) }));

beforeAll(async () => {
  http = createServer(({ url = '' }, response) => {
    asked.push(url);
    response.setHeader('content-type', 'application/json');
    ANSWERS[url]?.(response);
  });
  await new Promise<void>(resolve => void http.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  sources = new DataSources({
    rowsError: engine.rowsError,
    allowed: new AllowedOrigins([origin]),
    environment: {},
  });
  tools = await toolsOn({ live: dashboard() }, { queries: { sources, origins: [origin] } });
  unallowed = await toolsOn({ live: dashboard() });
});

afterAll(async () => {
  await Promise.all([tools.stop(), unallowed.stop(), sources.close()]);
  http.closeAllConnections();
  await new Promise(resolve => http.close(resolve));
});

describe('dash_validate_patch with queries: true', () => {
  it('tells rows, columns and first row of each touched item, and of no other', async () => {
    asked.length = 0;
    const { data } = await tools.tools.validate('live', added('rows', 'own'), {
      queries: true,
      preview: 'none',
    });
    expect(data.ok).toBe(true);
    expect(data.queries).toEqual([
      { nodeId: 't-rows', connectionId: 'rows', ok: true, rows: 2, columns: ['route', 'ms'], first: ROWS[0] },
      { nodeId: 't-own', connectionId: 'own', ok: true, rows: 2, columns: ['ms', 'route'], first: ROWS[0] },
    ]);
    expect(asked).toEqual(['/rows']);
  });

  it('tells items that a changed connection or variable concerns, though they are not touched', async () => {
    const replaced = [
      {
        op: 'replace',
        path: '/$connections/0',
        value: { id: 'rows', type: 'http', config: { url: `${origin}/none` } },
      },
    ];
    const tried = await tools.tools.validate('live', replaced, { queries: true, preview: 'none' });
    expect(tried.data.queries).toMatchObject([{ nodeId: 'stays', rows: 0, ok: true }]);
  });

  it('tells a failure as the entry of its item, and a changeset without rows as a warning; both are ok', async () => {
    const { data } = await tools.tools.validate('live', added('none', 'broken', 'old'), {
      queries: true,
      preview: 'none',
    });
    expect(data.ok).toBe(true);
    expect(data.warnings).toEqual([
      {
        code: 'QUERY_NO_ROWS',
        message: 'The query of "t-none" gives no rows.',
        path: 'root.children[0].children[1].content',
        nodeId: 't-none',
      },
    ]);
    expect(data.queries).toMatchObject([
      { nodeId: 't-none', ok: true, rows: 0 },
      { nodeId: 't-broken', ok: false, rows: 0, error: { code: 'QUERY_FAILED' } },
      { nodeId: 't-old', ok: false, error: { code: 'QUERY_INVALID' } },
    ]);
    expect(Object.keys(data.queries[1].error)).toEqual(['code', 'message']);
  });

  it('warns of a query with more rows than are taken', async () => {
    const { data } = await tools.tools.validate('live', added('many'), { queries: true, preview: 'none' });
    expect(data.queries).toMatchObject([{ nodeId: 't-many', ok: true, rows: 50_000, columns: ['value'] }]);
    expect(data.warnings).toEqual([
      {
        code: 'QUERY_TRUNCATED',
        message: 'The query of "t-many" gives more rows than are taken.',
        path: 'root.children[0].children[1].content',
        nodeId: 't-many',
      },
    ]);
  });

  it('cuts a long first row, and tells at most twenty items', async () => {
    const many = Array.from({ length: 25 }, (_, at) => ({
      op: 'add',
      path: '/body/children/-',
      value: table(`many-${at}`, 'long'),
    }));
    const { data } = await tools.tools.validate('live', many, { queries: true, preview: 'none' });
    expect(data.queries).toHaveLength(20);
    expect(data.queriesTruncated).toBe(true);
    expect(data.queries[0].first).toBe(JSON.stringify([{ text: 'x'.repeat(500) }]).slice(1, 201));
  });

  it('stands behind the warnings and before the link and the preview', async () => {
    const args = { queries: true, preview: 'changed', review: true };
    const { data } = await tools.tools.validate('live', added('none'), args);
    expect(Object.keys(data)).toEqual([
      ...['ok', 'baseRevision', 'changes', 'warnings', 'queries', 'reviewHint', 'preview'],
    ]);
  });

  it('runs nothing when the changeset is refused, and nothing unless it is asked to', async () => {
    asked.length = 0;
    const refused = [...added('rows'), { op: 'remove', path: '/nothing' }];
    const { data } = await tools.tools.validate('live', refused, { queries: true });
    expect(data).toMatchObject({ ok: false, code: 'CHANGESET_TARGET_NOT_FOUND' });
    expect(data).not.toHaveProperty('queries');
    expect((await tools.tools.validate('live', added('rows'))).data).not.toHaveProperty('queries');
    expect(asked).toEqual([]);
  });

  it('without --allow-query asks nobody, says which flag is missing, and shows rows of the document', async () => {
    asked.length = 0;
    const { data } = await unallowed.tools.validate('live', added('rows', 'own'), { queries: true });
    expect(data.ok).toBe(true);
    expect(data.queries).toMatchObject([
      {
        nodeId: 't-rows',
        ok: false,
        error: {
          code: 'QUERY_HOST_FORBIDDEN',
          message: `Asking ${origin} is not allowed: start with --allow-query ${origin}.`,
        },
      },
      { nodeId: 't-own', ok: true, rows: 2 },
    ]);
    expect(asked).toEqual([]);
  });
});

describe('a tool server that may ask', () => {
  it('names the origins in the manifest, and one that may not has no such member', async () => {
    const { data } = await tools.tools.call('dash_get_manifest');
    expect(data.capabilities.queries).toEqual([origin]);
    const other = await unallowed.tools.call('dash_get_manifest');
    expect(other.data.capabilities).not.toHaveProperty('queries');
  });

  it.each([
    ['may ask', [true], () => tools],
    ['may not', [], () => unallowed],
  ] as const)('that %s says so of one tool: %j', async (_, expected, of) => {
    const server = createDashServer(of().tools.context);
    const open = await openWorldTools(server);
    expect(open).toEqual(expected.map(() => 'dash_validate_patch'));
  });
});

/** Names of the tools that reach beyond the documents. */
async function openWorldTools(server: ReturnType<typeof createDashServer>): Promise<string[]> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '1' });
  await Promise.all([server.connect(far), client.connect(near)]);
  const { tools: listed } = await client.listTools();
  await client.close();
  return listed.flatMap(({ name, annotations }) => (annotations?.openWorldHint === true ? [name] : []));
}

it('drawings for the app show the rows of allowed origins, asked once for both sides', async () => {
  const ops = [{ op: 'add', path: '/stays-block/config/title', value: 'Stays' }];
  asked.length = 0;
  const { data } = await tools.tools.validate('live', ops, { preview: 'rendered' });
  expect(data.rendered[0].before).toContain('/pay');
  expect(data.rendered[0].after).toContain('/pay');
  expect(asked).toEqual(['/rows']);
  const { data: without } = await unallowed.tools.validate('live', ops, { preview: 'rendered' });
  expect(without.rendered[0].after).toContain('Not asked yet');
  expect(asked).toEqual(['/rows']);
});
