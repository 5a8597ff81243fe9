import { MsgError } from '@msg/core';

const MAX_CURSOR = 512;

/** A cursor of a listing: opaque to callers, and trusted for nothing. */
export function writeCursor(listing: string, position: string): string {
  return Buffer.from(JSON.stringify([listing, position])).toString('base64url');
}

/** The error of a text that this listing did not make. */
export function foreignCursor(): MsgError {
  return new MsgError(
    'MSG_INVALID_ARGUMENT',
    'cursor: this listing did not make it: ask without a cursor for the first page',
  );
}

/** The position of a cursor; undefined for an empty text. @throws MsgError MSG_INVALID_ARGUMENT for any other text */
export function readCursor(listing: string, cursor: string): string | undefined {
  if (cursor === '') return undefined;
  if (cursor.length > MAX_CURSOR || !/^[\w-]+$/.test(cursor)) throw foreignCursor();
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    throw foreignCursor();
  }
  if (!Array.isArray(value) || value.length !== 2 || value[0] !== listing || typeof value[1] !== 'string')
    throw foreignCursor();
  return value[1];
}

/** A limit of a request: 0 is the default. @throws MsgError MSG_INVALID_ARGUMENT below 0 and above the maximum */
export function readLimit(limit: number, fallback: number, most: number): number {
  if (limit === 0) return fallback;
  if (limit >= 1 && limit <= most) return limit;
  throw new MsgError('MSG_INVALID_ARGUMENT', `limit must be from 1 to ${most}; got ${limit}`);
}
