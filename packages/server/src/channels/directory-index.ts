import type { Clock } from '@msg/foundation/clock';
import type { ChannelRecord } from './record.ts';
import { sortedInSlices } from './sorted-slices.ts';

/** Orders of a directory. */
export type DirectorySort = 'name' | 'last_active' | 'created_at';

/** The place of a record in an order. */
export interface DirectoryPosition {
  readonly key: string | number;
  readonly name: string;
}

function keyOf(record: ChannelRecord, sort: DirectorySort): string | number {
  switch (sort) {
    case 'name':
      return record.name;
    case 'last_active':
      return record.lastActive;
    case 'created_at':
      return record.createdAt;
  }
}

export function positionOf(record: ChannelRecord, sort: DirectorySort): DirectoryPosition {
  return { key: keyOf(record, sort), name: record.name };
}

function comparePositions(a: DirectoryPosition, b: DirectoryPosition): number {
  if (a.key !== b.key) return a.key < b.key ? -1 : 1;
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

type Comparison = (a: ChannelRecord, b: ChannelRecord) => number;

/** Most records of a walk are behind the last of its page: one comparison of texts tells. */
function byName(a: ChannelRecord, b: ChannelRecord): number {
  return a.name > b.name ? 1 : a.name < b.name ? -1 : 0;
}

/** The ascending order. */
export function comparisonOf(sort: DirectorySort): Comparison {
  switch (sort) {
    case 'name':
      return byName;
    case 'last_active':
      return (a, b) => a.lastActive - b.lastActive || byName(a, b);
    case 'created_at':
      return (a, b) => a.createdAt - b.createdAt || byName(a, b);
  }
}

/** Whether a record comes after a position. */
export function isBehind(
  record: ChannelRecord,
  position: DirectoryPosition,
  sort: DirectorySort,
  descending: boolean,
): boolean {
  const order = comparePositions(positionOf(record, sort), position);
  return descending ? order < 0 : order > 0;
}

/** The records of a directory in one order. */
export class DirectoryIndex {
  readonly #sort: DirectorySort;
  /** Ascending. */
  readonly #records: ChannelRecord[];

  private constructor(sort: DirectorySort, records: ChannelRecord[]) {
    this.#sort = sort;
    this.#records = records;
  }

  static async of(
    records: Iterable<ChannelRecord>,
    sort: DirectorySort,
    clock: Pick<Clock, 'afterTurn'>,
  ): Promise<DirectoryIndex> {
    return new DirectoryIndex(sort, await sortedInSlices(clock, records, comparisonOf(sort)));
  }

  /** The first records behind a position; without one, from the begin. */
  after(
    position: DirectoryPosition | undefined,
    descending: boolean,
    count: number,
  ): readonly ChannelRecord[] {
    if (!descending) {
      const start = position === undefined ? 0 : this.#countUpTo(position, true);
      return this.#records.slice(start, start + count);
    }
    const end = position === undefined ? this.#records.length : this.#countUpTo(position, false);
    return this.#records.slice(Math.max(0, end - count), end).reverse();
  }

  add(record: ChannelRecord): void {
    this.#records.splice(this.#countUpTo(positionOf(record, this.#sort), false), 0, record);
  }

  remove(record: ChannelRecord): void {
    const index = this.#countUpTo(positionOf(record, this.#sort), false);
    if (this.#records[index]?.name === record.name) this.#records.splice(index, 1);
  }

  /** How many records are before the position, or, with `itself`, at it too. */
  #countUpTo(position: DirectoryPosition, itself: boolean): number {
    let [low, high] = [0, this.#records.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const order = comparePositions(
        positionOf(this.#records[middle] as ChannelRecord, this.#sort),
        position,
      );
      if (order < 0 || (itself && order === 0)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
