import type { Clock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import { NodeTree, pathOf } from '../changeset/node-tree.ts';
import type { TriedChangeset } from '../changeset/pipeline.ts';
import type { ItemData, Row } from '../data/contract.ts';
import type { DataSources } from '../data/sources.ts';
import { DashError, type ErrorEnvelope } from '../errors.ts';
import { changedNodes } from '../reads/changed-preview.ts';
import type { DocumentEngine } from '../reads/document-engine.ts';
import type { Warning } from '../reads/warnings/warning.ts';
import { nodesOf, type ResolvedNode, type ResolvedTree } from '../resolve/tree.ts';
import { rowsOfItems } from './item-rows.ts';

const MOST_ENTRIES = 20;
const MOST_COLUMNS = 50;
/** Longest first row, as JSON. */
const LONGEST_ROW = 200;

/** What the query of one item gives, as far as a model needs it to see that it asks the right thing. */
interface QueryResult {
  readonly nodeId: string;
  readonly connectionId: string;
  readonly ok: boolean;
  readonly rows: number;
  readonly columns: readonly string[];
  /** The first row; the start of its JSON where that is long. */
  readonly first?: Row | string;
  readonly error?: Pick<ErrorEnvelope, 'code' | 'message'>;
}

/** The answers of connections to the bindings that a changeset touches or affects. */
export interface QueryFeedback {
  readonly queries: readonly QueryResult[];
  /** There are more than 20 such bindings. */
  readonly queriesTruncated?: true;
  readonly warnings: readonly Warning[];
}

/**
 * Runs the bindings of touched and affected items of a changeset that applies (page and review 7.3): at most 20, in at most
 * 15 s together. A query that fails is the entry of its item; nothing here makes the changeset invalid.
 * @param sources of a process that may ask; without them only rows of the document are at hand.
 */
export async function queryFeedback(
  tried: TriedChangeset<ResolvedTree>,
  engine: DocumentEngine,
  sources: DataSources | undefined,
  signal: AbortSignal,
  clock?: Clock,
): Promise<QueryFeedback> {
  const differs = changedNodes(tried, engine);
  const bound = [...nodesOf(tried.tree.root)].filter(node => node.binding !== undefined && differs(node));
  const asked = bound.slice(0, MOST_ENTRIES);
  const ids = new Set(asked.map(({ id }) => id));
  const rows = await rowsOfItems(tried.tree, ids, { engine, sources, signal, ...defined({ clock }) });
  return defined({
    queries: asked.map(node => resultOf(node, rows.get(node.id))),
    queriesTruncated: bound.length > MOST_ENTRIES ? (true as const) : undefined,
    warnings: asked.flatMap(node => warningsOf(node, rows.get(node.id), tried, engine)),
  });
}

function resultOf({ id, binding }: ResolvedNode, data: ItemData | undefined): QueryResult {
  const { columns = [], rows = [] } = data !== undefined && 'data' in data ? data.data : {};
  return defined({
    nodeId: id,
    connectionId: binding?.connectionId ?? '',
    ok: data?.state === 'ready' || data?.state === 'empty',
    rows: rows.length,
    columns: columns.slice(0, MOST_COLUMNS),
    first: rows[0] === undefined ? undefined : shortRow(rows[0]),
    error: errorOf(data),
  });
}

function shortRow(row: Row): Row | string {
  const text = JSON.stringify(row);
  return text.length <= LONGEST_ROW ? row : text.slice(0, LONGEST_ROW).toWellFormed();
}

function errorOf(data: ItemData | undefined): QueryResult['error'] {
  if (data?.state === 'not-asked') {
    const message = `Connection type "${data.connectionType}" of this version is not asked; take a newer version.`;
    return briefly(new DashError('QUERY_INVALID', message).toEnvelope());
  }
  return data?.state === 'error' || data?.state === 'stale' ? briefly(data.error) : undefined;
}

const briefly = ({ code, message }: ErrorEnvelope) => ({ code, message });

function warningsOf(
  { id }: ResolvedNode,
  data: ItemData | undefined,
  { after }: TriedChangeset<ResolvedTree>,
  { types }: DocumentEngine,
): Warning[] {
  const isTruncated = data?.state === 'ready' && data.data.truncated === true;
  if (data?.state !== 'empty' && !isTruncated) return [];
  const position = new NodeTree(after, types).find(id);
  const place = { path: position === undefined ? 'root' : pathOf(position), nodeId: id };
  if (isTruncated) {
    const message = `The query of "${id}" gives more rows than are taken.`;
    return [{ code: 'QUERY_TRUNCATED', message, ...place }];
  }
  const message = `The query of "${id}" gives no rows.`;
  return [{ code: 'QUERY_NO_ROWS', message, ...place }];
}
