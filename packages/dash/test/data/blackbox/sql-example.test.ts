import { PostgresServer } from '@msg/testkit/postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDocumentEngine } from '#src/reads/document-engine.ts';
import { askOne, codeOf, rowsOf, sourcesOf, tablesOf } from '../asked.ts';
import { sectionOf } from '../connections-page.ts';

const { blocks, sql } = sectionOf('sql');
const [connection, query, rows, withVariables] = blocks;
const environment = { SHOP_PASSWORD: 'change me' };

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start();
  server.sql(`
    CREATE TABLE orders (region text, amount numeric, placed timestamptz);
    INSERT INTO orders VALUES ('eu', 5, '2026-01-03'), ('eu', 7.5, '2026-01-02'), ('us', 7, '2026-01-05'), ('us', 1, '2026-01-01');
    CREATE TABLE secrets (word text);
    CREATE TABLE bait ();
  `);
  server.sql(sql);
}, 120_000);
afterAll(() => server.stop());

const config = () => ({ ...connection.config, url: server.url('reports') });
const sources = () => sourcesOf({ allow: [`${server.origin}=SHOP_PASSWORD`], environment });
const ask = (text: string) => askOne(sources(), { type: 'sql', config: config() }, { text }, { environment });

describe('the page about sql', () => {
  it('has an example that gives its rows', async () => {
    const data = await askOne(sources(), { type: connection.type, config: config() }, query, { environment });
    expect(rowsOf(data)).toEqual(rows);
  });

  it('has a query with variables', async () => {
    const document = {
      ...tablesOf(
        { one: { type: 'sql', config: config() } },
        { item: { connection: 'one', query: withVariables } },
      ),
      variables: [
        { name: 'region', type: 'string', default: "eu' OR true" },
        { name: 'most', type: 'number', default: 1 },
      ],
    };
    const engine = openDocumentEngine();
    const asked = async (overrides: { address: string; value: string | number }[]) => {
      const tree = engine.resolve(document, { environment, overrides });
      const answer = sources().ask(tree).get('item');
      return rowsOf((await answer?.later) ?? (answer?.now as never));
    };
    expect(await asked([])).toEqual([]);
    expect(await asked([{ address: 'region', value: 'eu' }])).toHaveLength(1);
  });

  it('makes a role that reads what it was given, and nothing else', async () => {
    expect(codeOf(await ask('TABLE orders'))).toBe('ready');
    for (const text of ['TABLE secrets', "SELECT pg_read_file('PG_VERSION')", 'TABLE pg_authid'])
      expect(await ask(text)).toMatchObject({ error: { details: { sqlState: '42501' } } });
    const may = `SELECT has_schema_privilege('reports', 'public', 'CREATE'), has_database_privilege('reports', 'shop', 'TEMP')`;
    expect(server.sql(may)).toBe('f|f');
  });
});
