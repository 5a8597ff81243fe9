import type { Clock } from '@msg/foundation/clock';
import { comparisonOf, type DirectoryPosition, type DirectorySort, isBehind } from './directory-index.ts';
import type { ChannelRecord } from './record.ts';
import { SLICE, sortedInSlices } from './sorted-slices.ts';

/** In which order a directory is read. */
export interface DirectoryOrder {
  readonly sort: DirectorySort;
  readonly descending: boolean;
}

/** What a page of a directory is asked for. */
export interface DirectoryQuery extends DirectoryOrder {
  /** Absent: every record. */
  readonly accepts?: (record: ChannelRecord) => boolean;
  readonly limit: number;
  /** The last row of the page before. */
  readonly after?: DirectoryPosition;
}

/** The first rows behind a position, in order, and how many match on all pages: of each record one look. */
export class FirstRows {
  readonly query: Omit<DirectoryQuery, 'limit'>;
  readonly #most: number;
  readonly #compare: (a: ChannelRecord, b: ChannelRecord) => number;
  #rows: ChannelRecord[] = [];
  #total = 0;
  /** With as many rows as are wanted: what comes behind the last of them is not one. */
  #last: ChannelRecord | undefined;

  constructor(query: Omit<DirectoryQuery, 'limit'>, most: number) {
    const ascending = comparisonOf(query.sort);
    this.query = query;
    this.#most = most;
    this.#compare = query.descending ? (a, b) => ascending(b, a) : ascending;
  }

  /** Takes at most {@link SLICE} records; with `true`, `trim` is due before the next ones. */
  take(slice: readonly ChannelRecord[]): boolean {
    const { accepts, sort, descending, after } = this.query;
    for (const record of slice) {
      if (accepts?.(record) === false) continue;
      this.#total += 1;
      if (this.#last !== undefined && this.#compare(record, this.#last) > 0) continue;
      if (after === undefined || isBehind(record, after, sort, descending)) this.#rows.push(record);
    }
    return this.#rows.length >= this.#most + SLICE / 2;
  }

  /** Leaves the first rows alone, in their order. */
  async trim(clock: Pick<Clock, 'afterTurn'>): Promise<void> {
    this.#rows = (await sortedInSlices(clock, this.#rows, this.#compare)).slice(0, this.#most);
    if (this.#rows.length === this.#most) this.#last = this.#rows.at(-1);
  }

  /** Of the last `trim`. */
  get rows(): readonly ChannelRecord[] {
    return this.#rows;
  }

  get total(): number {
    return this.#total;
  }
}

/** The first rows of a walk. */
export async function firstRows(
  clock: Pick<Clock, 'afterTurn'>,
  slices: AsyncIterable<readonly ChannelRecord[]>,
  query: Omit<DirectoryQuery, 'limit'>,
  most: number,
): Promise<Pick<FirstRows, 'rows' | 'total'>> {
  const first = new FirstRows(query, most);
  for await (const slice of slices) if (first.take(slice)) await first.trim(clock);
  await first.trim(clock);
  return first;
}
