import { eventually } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DataSourceKind } from '#src/data/source.ts';
import type { JsonObject } from '#src/document/json.ts';
import { openDocumentEngine } from '#src/reads/document-engine.ts';
import { askOne, type ConnectionRow, codeOf, rowsOf, sourcesOf, tablesOf } from './asked.ts';

const engine = openDocumentEngine();

/** A real system of one kind, for {@link dataSourceSuite}. */
export interface SourceFixture {
  /** Origins that must be allowed; none for a kind that dials nothing. */
  readonly allow: readonly string[];
  readonly connection: ConnectionRow;
  /** A query that gives at least one row. */
  readonly query?: JsonObject;
  /** The rest is of kinds that dial. */
  readonly dialled?: {
    /** A query that the system refuses, or a connection whose system does. */
    readonly refused: { readonly connection?: ConnectionRow; readonly query?: JsonObject };
    /** A connection whose system does not answer. */
    readonly silent: ConnectionRow;
    /** A place in the config for a secret. */
    withSecret(config: JsonObject, secret: JsonObject): JsonObject;
    /** Requests that the system has seen, and of them those that were ended before their answer. */
    seen(): { readonly requests: number; readonly ended: number };
  };
  stop(): Promise<void>;
}

/** What every kind of source keeps, whatever it asks. */
export function dataSourceSuite(kind: DataSourceKind, start: () => Promise<SourceFixture>): void {
  describe(`the kind ${kind.type}`, () => {
    let fixture: SourceFixture;
    beforeAll(async () => {
      fixture = await start();
    }, 120_000);
    afterAll(() => fixture.stop());
    const dials = kind.addressOf !== undefined;
    const sources = (allow = fixture.allow, environment = {}) => sourcesOf({ allow, environment });

    it('has a type in the catalogue, with a schema of queries and the common settings where it dials', () => {
      const [type] = engine.catalog.connections.get(kind.type) ?? [];
      expect(type).toBeDefined();
      expect(type?.validateQuery !== undefined).toBe(dials);
      const properties = Object.keys((type?.schema['properties'] ?? {}) as object);
      for (const member of ['refresh', 'cache', 'timeout']) expect(properties.includes(member)).toBe(dials);
    });

    it('gives rows of scalars whose keys are its columns, equal ones for equal questions', async () => {
      const { connection, query } = fixture;
      const [first, second] = [
        await askOne(sources(), connection, query),
        await askOne(sources(), connection, query),
      ];
      const rows = rowsOf(first);
      expect(rows.length).toBeGreaterThan(0);
      const columns = new Set('data' in first ? first.data.columns : []);
      for (const row of rows) {
        for (const [key, cell] of Object.entries(row)) {
          expect(columns).toContain(key);
          expect(typeof cell === 'object' && cell !== null).toBe(false);
        }
      }
      expect(Object.keys(rowsOf(second)[0] ?? {})).toEqual(Object.keys(rows[0] ?? {}));
    });

    it('is asked only where its origin is allowed, and with secrets only where they are', async () => {
      const { dialled, connection, query, allow } = fixture;
      expect(dialled !== undefined).toBe(dials);
      if (dialled === undefined) return;
      const before = dialled.seen().requests;
      expect(codeOf(await askOne(sources([]), connection, query))).toBe('QUERY_HOST_FORBIDDEN');
      const environment = { TOKEN: 'a-token-of-tests' };
      const config = dialled.withSecret(connection.config, { $secret: 'TOKEN' });
      const secretive = { type: connection.type, config };
      const refused = await askOne(sources(allow, environment), secretive, query, { environment });
      expect(codeOf(refused)).toBe('QUERY_SECRET_FORBIDDEN');
      expect(dialled.seen().requests).toBe(before);
    });

    it('fails with the code of a query', async () => {
      const { dialled, connection, query } = fixture;
      if (dialled === undefined) return;
      const { refused } = dialled;
      const data = await askOne(sources(), refused.connection ?? connection, refused.query ?? query);
      expect(codeOf(data)).toMatch(/^QUERY_(?:FAILED|INVALID|RESPONSE_INVALID)$/);
    });

    it('ends its request when it is not waited for any more', async () => {
      const { dialled, query } = fixture;
      if (dialled === undefined) return;
      const before = dialled.seen();
      const leaving = new AbortController();
      const item = query === undefined ? { connection: 'one' } : { connection: 'one', query };
      const tree = engine.resolve(tablesOf({ one: dialled.silent }, { item }));
      const answer = sources().ask(tree, { leaving: leaving.signal }).get('item');
      expect(answer?.now.state).toBe('loading');
      await eventually('the request', () => dialled.seen().requests > before.requests);
      leaving.abort();
      await eventually('its end', () => dialled.seen().ended > before.ended);
      await answer?.later;
    });
  });
}
