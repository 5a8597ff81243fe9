import { defined } from '@msg/foundation/json';
import { DashError } from '../errors.ts';
import type { DataRows } from './contract.ts';

/** Rows of one query. */
export const MOST_ROWS = 50_000;
/** Columns of one query. */
const MOST_COLUMNS = 1_000;

/**
 * Rows within the bounds of one query: further rows are left out, and the answer says so.
 * @throws DashError QUERY_TOO_LARGE for too many columns.
 */
export function boundedRows(data: DataRows): DataRows {
  if (data.columns.length > MOST_COLUMNS) {
    const message = `The answer must have at most ${MOST_COLUMNS} columns; got ${data.columns.length}.`;
    throw new DashError('QUERY_TOO_LARGE', message, { columns: MOST_COLUMNS });
  }
  if (data.rows.length <= MOST_ROWS) return data;
  const { columns, rows, warnings } = data;
  return defined({ columns, rows: rows.slice(0, MOST_ROWS), truncated: true as const, warnings });
}
