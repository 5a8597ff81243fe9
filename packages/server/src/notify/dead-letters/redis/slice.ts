import type { DeadLetter } from '../contract.ts';

/** Ids that the queue makes; others would fail in the store. */
export const ENTRY_ID = /^\d{1,19}-\d{1,19}$/;

/** A stream entry: its id, and its fields and values in turn. */
export type Entry = readonly [string, readonly string[]];

export function itemOf(fields: readonly string[]): string {
  return fields[fields.indexOf('item') + 1] ?? '';
}

/** Order of the ids in a stream. */
export function compareIds(a: string, b: string): number {
  const [aTime = '', aHalf = ''] = a.split('-');
  const [bTime = '', bHalf = ''] = b.split('-');
  const difference = BigInt(aTime) - BigInt(bTime) || BigInt(aHalf) - BigInt(bHalf);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** The newest first, by the ids: these do not change, and are unique among all sinks. */
export function newestFirst(a: Pick<DeadLetter, 'id'>, b: Pick<DeadLetter, 'id'>): number {
  return compareIds(b.id, a.id);
}

/** The order of the whole list. */
export function newestParkedFirst(a: DeadLetter, b: DeadLetter): number {
  return b.parkedAt - a.parkedAt || newestFirst(a, b);
}
