// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the documents interpolate, the program does not
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '#src/document/json.ts';
import { documentEngine } from '#src/reads/document-engine.ts';
import { warningsOf } from '#src/reads/warnings/warnings.ts';
import { catalog } from '../resolve/team-pulse.ts';

const engine = documentEngine(catalog, { environment: { SET_TOKEN: 'a-value-of-the-server' } });

interface Parts {
  readonly connections?: readonly JsonObject[];
  readonly variables?: readonly JsonObject[];
  readonly children?: readonly JsonObject[];
  readonly grid?: JsonObject;
}

function warnings({ connections = [], variables = [], children = [], grid = {} }: Parts) {
  const document = {
    manifest: { formatVersion: '1.0.0', id: 'looked-at' },
    variables,
    connections,
    root: {
      id: 'page',
      type: 'container',
      children: [{ id: 'body', type: 'container', config: { grid }, children }],
    },
  } as unknown as JsonObject;
  return warningsOf(document, engine.resolve(document), engine.types);
}

const http = (config: JsonObject): Parts => ({
  connections: [{ id: 'api', type: 'http', config: { url: 'https://metrics.example/', ...config } }],
});
const block = (id: string, type: string, config: JsonObject, more: JsonObject = {}): JsonObject => ({
  ...{ id: `${id}-block`, type: 'block', config: { content: { id, type, config } } },
  ...more,
});
const SECRET = 'hunter2-and-more';

describe('CREDENTIAL_LITERAL', () => {
  it.each([
    ['authorization', SECRET],
    ['Authorization', `Bearer ${SECRET}`],
    ['cookie', `session=${SECRET}`],
    ['X-API-Key', SECRET],
    ['x-auth-token', SECRET],
    ['client-secret', SECRET],
  ])('names the place of header %s, and never its value', (header, value) => {
    const found = warnings(http({ headers: { [header]: value } }));
    expect(found).toEqual([
      expect.objectContaining({
        code: 'CREDENTIAL_LITERAL',
        path: `connections[0].config.headers.${header}`,
      }),
    ]);
    expect(JSON.stringify(found)).not.toContain(SECRET);
  });

  it.each(['https://ada:hunter2-and-more@metrics.example/', 'https://hunter2-and-more@metrics.example/'])(
    'is told of user and password in %s',
    url => {
      expect(warnings(http({ url }))).toEqual([
        expect.objectContaining({ code: 'CREDENTIAL_LITERAL', path: 'connections[0].config.url' }),
      ]);
    },
  );

  it.each([
    `Bearer ${SECRET}`,
    `ghp_${'a1'.repeat(18)}`,
    `github_pat_${'a1'.repeat(12)}`,
    `glpat-${'a1'.repeat(10)}`,
    `glsa_${'a1'.repeat(16)}`,
    `xoxb-${'12'.repeat(8)}`,
    `sk-${'a1'.repeat(16)}`,
    `AKIA${'A1'.repeat(8)}`,
    `AIza${'a1b2c'.repeat(7)}`,
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmVk',
    '-----BEGIN RSA PRIVATE KEY-----',
  ])('is told by its shape, wherever it stands: %s', token => {
    const query: Json = { filter: `key ${token}` };
    const parts: Parts = {
      ...http({ query: { note: token } }),
      variables: [{ name: 'a', type: 'string', default: token }],
      children: [block('t', 'table', { connectionId: 'api', query })],
    };
    const found = warnings(parts);
    expect(found.map(({ code, path }) => [code, path])).toEqual([
      ['CREDENTIAL_LITERAL', 'connections[0].config.query.note'],
      ['CREDENTIAL_LITERAL', 'variables[0].default'],
      ['CREDENTIAL_LITERAL', 'root.children[0].children[0].config.content.config.query.filter'],
    ]);
    expect(JSON.stringify(found)).not.toContain(token);
  });

  it('is not told of references, names that only look alike, and rows', () => {
    const headers = {
      authorization: { $secret: 'SET_TOKEN', prefix: 'Bearer ' },
      accept: 'application/json',
    };
    expect(warnings(http({ headers, query: { page: '1' } }))).toEqual([]);
    const rows = [{ token: 'a', password: 'b' }];
    expect(warnings({ connections: [{ id: 'own', type: 'static', config: { rows } }] })).toEqual([]);
  });

  it('is told of a credential in the text before a secret', () => {
    const headers = { accept: { $secret: 'SET_TOKEN', prefix: `Bearer ${SECRET} ` } };
    expect(warnings(http({ headers }))).toHaveLength(1);
  });
});

it('SECRET_UNSET names the variable of the server that is not set', () => {
  const parts = http({ headers: { a: { $secret: 'SET_TOKEN' }, b: { $secret: 'GONE_TOKEN' } } });
  expect(warnings(parts)).toEqual([
    {
      code: 'SECRET_UNSET',
      message: 'Environment variable GONE_TOKEN is not set; connection "api" is not asked without it.',
      path: 'connections[0]',
    },
  ]);
});

describe('CONNECTION_TEXT_VARIABLE', () => {
  const asking = (query: JsonObject, type = 'prometheus'): Parts => ({
    connections: [
      type === 'prometheus'
        ? { id: 'prom', type, config: { url: 'http://127.0.0.1:9090' } }
        : { id: 'prom', type, config: { url: 'http://127.0.0.1/' } },
    ],
    variables: [
      { name: 'env', type: 'string', default: 'prod' },
      { name: 'routes', type: 'array', default: ['a'] },
      { name: 'region', type: 'enum', options: ['eu', 'us'], default: 'eu' },
      { name: 'least', type: 'number', default: 1 },
      { name: 'all', type: 'boolean', default: true },
    ],
    children: [block('latency', 'table', { connectionId: 'prom', query })],
  });

  it.each([
    [{ expr: 'up{env="${env}"}' }, ['env']],
    [{ expr: { $var: 'env' } }, ['env']],
    [
      {
        queries: [
          { name: 'a', expr: 'up' },
          { name: 'b', expr: 'up{r=~"${ routes }",e="${env}"}' },
        ],
      },
      ['routes', 'env'],
    ],
  ] as [JsonObject, string[]][])('names item and variable of %j', (query, names) => {
    const found = warnings(asking(query));
    expect(found.map(({ code, nodeId, path }) => [code, nodeId, path])).toEqual(
      names.map(() => ['CONNECTION_TEXT_VARIABLE', 'latency', 'root.children[0].children[0].content']),
    );
    expect(found.map(({ message }) => /^Variable "(\w+)"/.exec(message)?.[1])).toEqual(names);
  });

  it('is not told of values that cannot rewrite an expression, of escapes, and of parameters', () => {
    expect(warnings(asking({ expr: 'up{r="${region}"} > ${least} and ${all} or $${env}' }))).toEqual([]);
    expect(warnings(asking({ expr: 'up', legend: '${env}' }))).toEqual([]);
    expect(warnings(asking({ env: '${env}' }, 'http'))).toEqual([]);
  });
});

describe('PLACEMENT_OVERLAP', () => {
  const placed = (id: string, placement: JsonObject): JsonObject =>
    block(id, 'heading', { text: id, level: 2 }, { placement });
  const grid = { columns: [1, 1, 1] };

  it('names the one that lies over the other, in document order', () => {
    const children = [
      placed('a', { colStart: 2, colSpan: 2, rowStart: 2 }),
      placed('b', { colStart: 1, rowStart: 1, rowSpan: 3 }),
      placed('c', { colStart: 1, colSpan: 2, rowStart: 2 }),
    ];
    expect(warnings({ grid, children }).map(({ code, message, nodeId }) => [code, nodeId, message])).toEqual([
      ['PLACEMENT_OVERLAP', 'c-block', 'Node "c-block" is placed over "b-block".'],
      ['PLACEMENT_OVERLAP', 'c-block', 'Node "c-block" is placed over "a-block".'],
    ]);
  });

  it('is not told of neighbours, nor of cells that the grid gives', () => {
    const children = [
      placed('a', { colStart: 1, rowStart: 1 }),
      placed('b', { colStart: 2, rowStart: 1 }),
      placed('c', { colStart: 1, colSpan: 3, rowStart: 2 }),
      block('d', 'heading', { text: 'd', level: 2 }),
    ];
    expect(warnings({ grid, children })).toEqual([]);
  });
});

it.each([
  ['https://elsewhere.example/a.png', true],
  ['//elsewhere.example/a.png', true],
  ['/images/a.png', false],
  ['a.png', false],
  ['data:image/png;base64,AAAA', false],
])('IMAGE_REMOTE of %s: %s', (src, isRemote) => {
  const found = warnings({ children: [block('picture', 'image', { src, alt: 'A' })] });
  expect(found.map(({ code, nodeId }) => [code, nodeId])).toEqual(
    isRemote ? [['IMAGE_REMOTE', 'picture']] : [],
  );
});

it('an answer has fifty of them at most', () => {
  const children = Array.from({ length: 60 }, (_, at) =>
    block(`p${at}`, 'image', { src: '//a.example/', alt: '' }),
  );
  expect(warnings({ children })).toHaveLength(50);
});
