import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rowsOfJson } from '#src/data/http/rows.ts';
import type { Json, JsonObject } from '#src/document/json.ts';
import { askOne, codeOf, rowsOf, sourcesOf } from './asked.ts';
import { MISDEEDS, MisbehavingServer } from './misbehaving-server.ts';

let server: MisbehavingServer;
beforeAll(async () => {
  server = await MisbehavingServer.start();
});
afterAll(() => server.stop());

const ask = (config: JsonObject, query?: JsonObject, environment: Record<string, string> = {}) => {
  const names = Object.keys(environment).join(',');
  const sources = sourcesOf({ allow: [names === '' ? server.url : `${server.url}=${names}`], environment });
  return askOne(sources, { type: 'http', config: { url: `${server.url}/rows`, ...config } }, query, {
    environment,
  });
};

describe('rows over HTTP', () => {
  it('come with the parameters of config and query, the query last', async () => {
    const data = await ask(
      { url: `${server.url}/rows?a=1&b=2`, query: { b: 'x', c: 'y' } },
      { c: 3, d: true, a: null },
    );
    expect(rowsOf(data)).toEqual([{ region: 'eu', p95: 184 }]);
    expect(server.requests.at(-1)).toBe('GET /rows?b=x&c=3&d=true');
    expect(data).toMatchObject({ data: { columns: ['region', 'p95'] } });
  });

  it('come from the path as it is written, also one that begins with two slashes', async () => {
    await ask({ url: `${server.url}//rows/a?b=1` });
    expect(server.requests.at(-1)).toBe('GET //rows/a?b=1');
  });

  it('come of a POST with the members of config and query as JSON', async () => {
    await ask({ method: 'POST', body: { a: 1, list: [1] }, query: { u: 'v' } }, { a: 2, b: 'x' });
    expect(server.requests.at(-1)).toBe('POST /rows?u=v');
    expect(JSON.parse(server.bodies.at(-1) ?? '')).toEqual({ a: 2, list: [1], b: 'x' });
    expect(server.headers.at(-1)).toMatchObject({ 'content-type': 'application/json' });
  });

  it('carry headers with secrets, a text before them', async () => {
    const headers = { authorization: { $secret: 'TOKEN', prefix: 'Bearer ' }, 'x-a': 'b' };
    await ask({ headers }, undefined, { TOKEN: 'hunter22' });
    expect(server.headers.at(-1)).toMatchObject({ authorization: 'Bearer hunter22', 'x-a': 'b' });
  });

  it.each(['Host', 'transfer-encoding', 'Content-Length', 'proxy-authorization'])(
    'are not asked for with the header %s',
    async name => expect(codeOf(await ask({ headers: { [name]: '1' } }))).toBe('QUERY_INVALID'),
  );

  it.each([
    [
      'objects, flattened by one level',
      [{ a: { b: 1, c: { d: 2 } }, e: [1], f: null }],
      {},
      [{ 'a.b': 1, 'a.c': '{"d":2}', e: '[1]', f: null }],
    ],
    ['scalars', [1, 'a', null], {}, [{ value: 1 }, { value: 'a' }, { value: null }]],
    ['the array at a path', { data: { 'x/y': [{ a: 1 }] } }, { path: '/data/x~1y' }, [{ a: 1 }]],
    [
      'the fields that are named',
      [[1, { n: 'x' }]],
      { fields: { one: '/0', two: '/1/n', none: '/7' } },
      [{ one: 1, two: 'x', none: null }],
    ],
  ])('are %s', (_, answer, mapping, rows) => {
    expect(rowsOfJson(answer as Json, mapping as JsonObject).rows).toEqual(rows);
  });

  it('named __proto__ are cells as any other', () => {
    const [row] = rowsOfJson(JSON.parse('[{"__proto__":1}]'), {}).rows;
    expect(Object.keys(row ?? {})).toEqual(['__proto__']);
  });
});

/** What each misdeed is for the item. */
const CODES: Readonly<Record<string, string>> = {
  '/drip': 'QUERY_TIMEOUT',
  '/huge': 'QUERY_TOO_LARGE',
  '/announced': 'QUERY_TIMEOUT',
  '/bomb': 'QUERY_TOO_LARGE',
  '/damaged': 'QUERY_RESPONSE_INVALID',
  '/encoded': 'QUERY_RESPONSE_INVALID',
  '/html': 'QUERY_RESPONSE_INVALID',
  '/redirect': 'QUERY_FAILED',
  '/reset': 'QUERY_FAILED',
  '/half': 'QUERY_RESPONSE_INVALID',
  '/cut': 'QUERY_FAILED',
  '/columns': 'QUERY_TOO_LARGE',
  '/deep': 'QUERY_TOO_LARGE',
  '/containers': 'QUERY_TOO_LARGE',
  '/error': 'QUERY_FAILED',
  '/object': 'QUERY_RESPONSE_INVALID',
  '/garbage': 'QUERY_FAILED',
  '/silent': 'QUERY_TIMEOUT',
};

describe('a server that misbehaves', () => {
  it.each(MISDEEDS)('at %s costs the item a code', async path => {
    const timeout = CODES[path] === 'QUERY_TIMEOUT' ? 2 : 30;
    const data = await ask({ url: `${server.url}${path}`, timeout });
    expect(codeOf(data)).toBe(CODES[path]);
  });

  it('is quoted with 300 characters at most', async () => {
    const data = await ask({ url: `${server.url}/error` });
    const { message } = data.state === 'error' ? data.error : { message: '' };
    expect(message).toMatch(/^The server answers with status 500: the database is away x+…\.$/);
    expect(message.length).toBeLessThan(350);
  });

  it('and sends elsewhere is not followed', async () => {
    const before = server.requests.length;
    await ask({ url: `${server.url}/redirect?only` });
    expect(server.requests.slice(before)).toEqual(['GET /redirect?only']);
  });
});
