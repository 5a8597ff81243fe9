import type { Clock } from '@msg/foundation/clock';
import { comparisonOf, type DirectoryPosition, type DirectorySort, isBehind } from './directory-index.ts';
import type { ChannelRecord } from './record.ts';
import { SLICE, sortedInSlices } from './sorted-slices.ts';

/** What a page of a directory is asked for. */
export interface DirectoryQuery {
  /** Absent: every record. */
  readonly accepts?: (record: ChannelRecord) => boolean;
  readonly sort: DirectorySort;
  readonly descending: boolean;
  readonly limit: number;
  /** The last row of the page before. */
  readonly after?: DirectoryPosition;
}

/** The first rows behind the position, in order, and how many match on all pages: of each record one look. */
export async function firstRows(
  clock: Pick<Clock, 'afterTurn'>,
  slices: AsyncIterable<readonly ChannelRecord[]>,
  { accepts, sort, descending, after }: Omit<DirectoryQuery, 'limit'>,
  most: number,
): Promise<{ readonly rows: readonly ChannelRecord[]; readonly total: number }> {
  const ascending = comparisonOf(sort);
  const compare = descending ? (a: ChannelRecord, b: ChannelRecord) => ascending(b, a) : ascending;
  let rows: ChannelRecord[] = [];
  let total = 0;
  /** With as many rows as are wanted: what comes behind the last of them is not one. */
  let last: ChannelRecord | undefined;
  for await (const slice of slices) {
    for (const record of slice) {
      if (accepts?.(record) === false) continue;
      total += 1;
      if (last !== undefined && compare(record, last) > 0) continue;
      if (after === undefined || isBehind(record, after, sort, descending)) rows.push(record);
    }
    if (rows.length < most + SLICE / 2) continue;
    rows = (await sortedInSlices(clock, rows, compare)).slice(0, most);
    last = rows.at(-1);
  }
  return { rows: (await sortedInSlices(clock, rows, compare)).slice(0, most), total };
}
