import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#src/document/json.ts';
import { errorOf, resolveWith } from '../resolve/team-pulse.ts';
import { tablesOf } from './asked.ts';

const URL = 'postgres://reports@127.0.0.1:5432/shop';

/** A document with one query of a database. */
function asking(query: JsonObject, config: JsonObject = {}, variables: JsonObject[] = []): JsonObject {
  const connections = { shop: { type: 'sql', config: { url: URL, ...config } } };
  return { ...tablesOf(connections, { item: { connection: 'shop', query } }), variables };
}

describe('the query of a database', () => {
  it.each([
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable in a text
    ['in its text', { text: "SELECT * FROM orders WHERE region = '${region}'" }],
    ['escaped in its text', { text: "SELECT '$${region}'" }],
    ['as its text', { text: { $var: 'region' } }],
  ])('holds no variable %s', (_, query) => {
    const variables = [{ name: 'region', type: 'string', default: 'SELECT 1' }];
    const { code, details } = errorOf(() => resolveWith(asking(query as JsonObject, {}, variables)));
    expect({ code, details }).toMatchObject({ code: 'BINDING_INVALID', details: { nodeId: 'item' } });
    expect(details).toMatchObject({ reason: 'sql_interpolation', member: 'text' });
  });

  it.each([
    [{}],
    [{ text: '' }],
    [{ text: 'SELECT 1', params: [[1]] }],
    [{ text: 'SELECT 1', params: [{ a: 1 }] }],
    [{ text: 'SELECT 1', more: 1 }],
  ])('that is %j is BINDING_INVALID', query => {
    const { code, details } = errorOf(() => resolveWith(asking(query as JsonObject)));
    expect({ code, details }).toMatchObject({ code: 'BINDING_INVALID', details: { nodeId: 'item' } });
  });

  it('takes variables in its params, each with its type', () => {
    const variables = [
      { name: 'region', type: 'string', default: 'eu' },
      { name: 'most', type: 'number', default: 3 },
    ];
    const query = { text: 'SELECT $1, $2', params: [{ $var: 'region' }, { $var: 'most' }] };
    const tree = JSON.stringify(resolveWith(asking(query, {}, variables)));
    expect(tree).toContain('"params":["eu",3]');
  });
});

describe('the connection to a database', () => {
  it.each([
    'postgres://reports:password@db:5432/shop',
    'postgres://db:5432/shop',
    'postgres://reports@db:5432',
    'postgres://reports@db:5432/shop?sslmode=disable',
    'mysql://reports@db/shop',
    'postgres://a@b@db/shop',
  ])('at %s is CONNECTION_CONFIG_INVALID', url => {
    const { code } = errorOf(() => resolveWith(asking({ text: 'SELECT 1' }, { url })));
    expect(code).toBe('CONNECTION_CONFIG_INVALID');
  });

  it.each([
    { ssl: 'prefer' },
    { statementTimeout: 31 },
    { maxRows: 50_001 },
    { maxRows: 0 },
    { user: 'admin' },
  ])('with %j is CONNECTION_CONFIG_INVALID', config => {
    const { code } = errorOf(() => resolveWith(asking({ text: 'SELECT 1' }, config)));
    expect(code).toBe('CONNECTION_CONFIG_INVALID');
  });
});
