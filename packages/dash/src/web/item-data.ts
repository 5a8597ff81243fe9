import { defined } from '@msg/foundation/json';
import type { ItemData } from '../data/contract.ts';
import type { Json } from '../document/json.ts';
import { CODE_TABLE, DashError, type ErrorEnvelope } from '../errors.ts';
import type { ItemView } from '../render/context.ts';
import { tableCells } from '../render/items/columns.ts';
import { csvText } from '../render/items/csv.ts';
import { ownRows } from '../render/items/leaf.ts';
import type { ResolvedNode } from '../resolve/tree.ts';
import { type Dashboard, leavesOf } from './dashboard.ts';
import { settledView } from './item-lines.ts';

/** The rows of an item, as `POST /api/d/<id>/data` answers them (page and review 2). */
interface DataAnswer {
  readonly columns: readonly string[];
  readonly rows: readonly object[];
  readonly truncated?: true;
  readonly warnings?: readonly string[];
  readonly window?: { readonly from: string; readonly to: string };
  /** Seconds since the rows came. */
  readonly age: number;
  /** Milliseconds that the source took. */
  readonly took?: number;
  /** The query as it was asked. */
  readonly asked?: object;
  readonly error?: ErrorEnvelope;
}

/** Rows of one piece of text: the text of all rows of an item can be many times larger than the rows. */
const PIECE_ROWS = 500;

/** `{items: {<nodeId>: DataAnswer}}` of all bound items of a dashboard as JSON, in pieces, as their rows come. */
export async function* dataText(dashboard: Dashboard): AsyncGenerator<string> {
  let separator = '';
  yield '{"items":{';
  for (const { id, binding } of leavesOf(dashboard.source.tree.root)) {
    if (binding === undefined || !dashboard.source.views.has(id)) continue;
    const { columns, rows, ...rest } = answerOf((await settledView(dashboard, id))?.data);
    yield `${separator}${JSON.stringify(id)}:{"columns":${JSON.stringify(columns)},"rows":[`;
    for (let at = 0; at < rows.length; at += PIECE_ROWS)
      yield `${at === 0 ? '' : ','}${JSON.stringify(rows.slice(at, at + PIECE_ROWS)).slice(1, -1)}`;
    // `age` is always there.
    yield `],${JSON.stringify(rest).slice(1)}`;
    separator = ',';
  }
  yield '}}\n';
}

/** What is not known about rows of an earlier question. */
const STALE = { window: undefined, tookMs: undefined, asked: undefined };

function answerOf(data: ItemData | undefined): DataAnswer {
  if (data === undefined || data.state === 'loading' || data.state === 'not-asked' || data.state === 'held')
    return { columns: [], rows: [], age: 0 };
  if (data.state === 'error') return { columns: [], rows: [], age: 0, error: data.error };
  const { columns, rows, truncated, warnings } = data.data;
  const {
    window: span,
    tookMs,
    asked,
    ageMs = 0,
  } = data.state === 'stale' ? { ...STALE, ageMs: data.ageMs } : data;
  return defined({
    columns,
    rows,
    truncated,
    warnings,
    window: span && { from: new Date(span.from).toISOString(), to: new Date(span.to).toISOString() },
    age: Math.round(ageMs / 1_000),
    took: tookMs === undefined ? undefined : Math.round(tookMs),
    asked,
    error: data.state === 'stale' ? data.error : undefined,
  });
}

/**
 * All rows of an item as CSV, in pieces.
 * @throws DashError CHANGESET_TARGET_NOT_FOUND for an item that the document does not have; the code of a failed query.
 */
export async function csvOf(dashboard: Dashboard, nodeId: string): Promise<Iterable<string>> {
  const node = [...leavesOf(dashboard.source.tree.root)].find(({ id }) => id === nodeId);
  if (node === undefined) {
    throw new DashError('CHANGESET_TARGET_NOT_FOUND', `Item "${nodeId}" does not exist.`, { nodeId });
  }
  const view = await settledView(dashboard, nodeId);
  if (view?.data?.state === 'error') throw asError(view.data.error);
  const { header, rows } = cellsOf(node, view);
  return csvPieces(header, rows);
}

function* csvPieces(header: string[], rows: readonly (readonly Json[])[]): Generator<string> {
  yield csvText(header, rows.slice(0, PIECE_ROWS));
  for (let at = PIECE_ROWS; at < rows.length; at += PIECE_ROWS)
    yield csvText([], rows.slice(at, at + PIECE_ROWS));
}

function asError({ code, message, details }: ErrorEnvelope): DashError {
  return new DashError(code in CODE_TABLE ? code : 'QUERY_FAILED', message, details);
}

function cellsOf(
  node: ResolvedNode,
  view: ItemView | undefined,
): { header: string[]; rows: readonly (readonly Json[])[] } {
  const data = view?.data !== undefined && 'data' in view.data ? view.data.data : undefined;
  if (node.type.name === 'table') {
    const { columns, rows } = tableCells(node, data);
    return { header: columns.map(({ header = '' }) => header), rows };
  }
  const { columns, rows } = data ?? ownRows(node) ?? { columns: [], rows: [] };
  const keys = columns.length > 0 ? [...columns] : [...new Set(rows.flatMap(row => Object.keys(row)))];
  return { header: keys, rows: rows.map(row => keys.map(key => row[key] ?? null)) };
}
