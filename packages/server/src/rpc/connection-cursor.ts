import type { ConnectionQuery, RowPosition } from '../connections/query.ts';
import { foreignCursor, readCursor, writeCursor } from './cursor.ts';

type Order = Pick<ConnectionQuery, 'sort' | 'descending'>;

/** Each order is a listing of its own. */
function listingOf({ sort, descending }: Order): string {
  return `connections ${sort}${descending ? ' descending' : ''}`;
}

export function writeRowCursor(order: Order, { key, client }: RowPosition): string {
  return writeCursor(listingOf(order), JSON.stringify([key, client]));
}

/** @throws MsgError MSG_INVALID_ARGUMENT for a cursor of another listing or order */
export function readRowCursor(order: Order, cursor: string): RowPosition | undefined {
  const position = readCursor(listingOf(order), cursor);
  if (position === undefined) return undefined;
  const [key, client] = parsed(position);
  const isKey = order.sort === 'user' ? typeof key === 'string' : typeof key === 'number';
  if (!isKey || typeof client !== 'string') throw foreignCursor();
  return { key: key as string | number, client }; // checked by the sort
}

function parsed(position: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(position);
    return Array.isArray(value) ? value : [];
  } catch {
    throw foreignCursor();
  }
}
