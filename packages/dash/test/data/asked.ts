import { type Clock, systemClock } from '@msg/foundation/clock';
import type { ItemData, TimeWindow } from '#src/data/contract.ts';
import { AllowedOrigins } from '#src/data/dial/allowed-origins.ts';
import type { DataSourceKind } from '#src/data/source.ts';
import { DataSources, type QuerySettings } from '#src/data/sources.ts';
import type { JsonObject } from '#src/document/json.ts';
import { openDocumentEngine } from '#src/reads/document-engine.ts';

const engine = openDocumentEngine();

/** A connection of a document of the tests. */
export interface ConnectionRow {
  readonly type: string;
  readonly config: JsonObject;
}

/** A document with these connections, and a table for each query. */
export function tablesOf(
  connections: Readonly<Record<string, ConnectionRow>>,
  items: Readonly<Record<string, { readonly connection: string; readonly query?: JsonObject }>>,
): JsonObject {
  return {
    manifest: { formatVersion: '1.0.0', id: 'tables' },
    connections: Object.entries(connections).map(([id, row]) => ({ id, ...row })),
    root: {
      id: 'page',
      type: 'container',
      children: [
        {
          id: 'body',
          type: 'container',
          children: Object.entries(items).map(([id, { connection, query }]) => ({
            id: `${id}-block`,
            type: 'block',
            config: {
              content: {
                id,
                type: 'table',
                config: { connectionId: connection, ...(query === undefined ? {} : { query }) },
              },
            },
          })),
        },
      ],
    },
  } as JsonObject;
}

/** What a test may say about its sources. */
export interface AskSettings extends Omit<QuerySettings, 'allowed'> {
  readonly allow?: readonly string[];
  readonly clock?: Clock;
  readonly kinds?: readonly DataSourceKind[];
}

/** Sources that may ask these origins. */
export function sourcesOf({ allow = [], clock = systemClock, ...rest }: AskSettings): DataSources {
  return new DataSources({
    rowsError: engine.rowsError,
    allowed: new AllowedOrigins(allow),
    environment: {},
    clock,
    ...rest,
  });
}

/** The rows of one query of one connection. */
export async function askOne(
  sources: DataSources,
  connection: ConnectionRow,
  query?: JsonObject,
  {
    window,
    environment = {},
    width = 600,
  }: { window?: TimeWindow; environment?: Record<string, string>; width?: number } = {},
): Promise<ItemData> {
  const item = { connection: 'one', ...(query === undefined ? {} : { query }) };
  const tree = engine.resolve(tablesOf({ one: connection }, { item }), { environment });
  const answer = sources.ask(tree, { window, widths: new Map([['item', width]]) }).get('item');
  if (answer === undefined) throw new Error('the item is not bound');
  return (await answer.later) ?? answer.now;
}

/** The rows of an answer; fails for any other state. */
export function rowsOf(data: ItemData): readonly Readonly<Record<string, unknown>>[] {
  if (data.state === 'ready' || data.state === 'empty') return data.data.rows;
  throw new Error(JSON.stringify(data));
}

/** The code of a failed query; the state of any other. */
export function codeOf(data: ItemData): string {
  return data.state === 'error' ? data.error.code : data.state;
}
