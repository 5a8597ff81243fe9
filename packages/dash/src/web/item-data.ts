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
export interface DataAnswer {
  readonly columns: readonly string[];
  readonly rows: readonly object[];
  readonly truncated?: true;
  readonly warnings?: readonly string[];
  readonly window?: { readonly from: string; readonly to: string };
  /** Seconds since the rows were asked for; more than 0 only where a refresh failed. */
  readonly age: number;
  readonly error?: ErrorEnvelope;
}

/** The rows of all bound items of a dashboard, by node id. */
export async function dataAnswers(dashboard: Dashboard): Promise<Record<string, DataAnswer>> {
  const bound = [...leavesOf(dashboard.source.tree.root)].filter(
    ({ id, binding }) => binding !== undefined && dashboard.source.views.has(id),
  );
  const entries = bound.map(
    async ({ id }) => [id, answerOf((await settledView(dashboard, id))?.data)] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

function answerOf(data: ItemData | undefined): DataAnswer {
  if (data === undefined || data.state === 'loading' || data.state === 'not-asked')
    return { columns: [], rows: [], age: 0 };
  if (data.state === 'error') return { columns: [], rows: [], age: 0, error: data.error };
  const { columns, rows, truncated, warnings } = data.data;
  const span = data.state === 'stale' ? undefined : data.window;
  return defined({
    columns,
    rows,
    truncated,
    warnings,
    window: span && { from: new Date(span.from).toISOString(), to: new Date(span.to).toISOString() },
    age: data.state === 'stale' ? Math.round(data.ageMs / 1_000) : 0,
    error: data.state === 'stale' ? data.error : undefined,
  });
}

/**
 * All rows of an item as CSV.
 * @throws DashError CHANGESET_TARGET_NOT_FOUND for an item that the document does not have; the code of a failed query.
 */
export async function csvOf(dashboard: Dashboard, nodeId: string): Promise<string> {
  const node = [...leavesOf(dashboard.source.tree.root)].find(({ id }) => id === nodeId);
  if (node === undefined) {
    throw new DashError('CHANGESET_TARGET_NOT_FOUND', `Item "${nodeId}" does not exist.`, { nodeId });
  }
  const view = await settledView(dashboard, nodeId);
  if (view?.data?.state === 'error') throw asError(view.data.error);
  const { header, rows } = cellsOf(node, view);
  return csvText(header, rows);
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
