import type { Clock } from '@msg/foundation/clock';
import { nextTurn } from '../timers/turns.ts';
import {
  DirectoryIndex,
  type DirectoryPosition,
  type DirectorySort,
  isBehind,
  positionOf,
} from './directory-index.ts';
import { type DirectoryOrder, type DirectoryQuery, FirstRows, firstRows } from './directory-rows.ts';
import type { ChannelRecord } from './record.ts';
import { isOfFeed } from './reserved.ts';
import { SLICE, slicesOf } from './sorted-slices.ts';

/** A page of records. */
export interface DirectoryPage {
  readonly records: readonly ChannelRecord[];
  /** Matches on all pages. */
  readonly total: number;
  /** Where the next page begins; absent on the last one. */
  readonly next?: DirectoryPosition;
  /** When the registry was read, Unix milliseconds. */
  readonly asOf: number;
}

/** The first records of an order, found without sorting all. */
interface Head {
  readonly records: readonly ChannelRecord[];
  /** Changes of the copy before it was looked for. */
  readonly changes: number;
}

/** Records of a head. */
const HEAD = SLICE / 2;
/** Each is the place of its count. */
const KINDS = ['open public', 'closed public', 'open private', 'closed private'] as const;

function orderOf({ sort, descending }: DirectoryOrder): string {
  return `${sort} ${descending}`;
}

function kindOf({ state, visibility }: ChannelRecord): number {
  return (state === 'open' ? 0 : 1) + (visibility === 'public' ? 0 : 2);
}

/** A copy of the open and closed records, which is kept current. */
export class DirectoryCopy {
  /** Monotonic and wall time of its begin. */
  readonly builtAt: number;
  readonly asOf: number;
  readonly #clock: Clock;
  /** The records as they were read, until one changes. */
  #slices: (readonly ChannelRecord[])[] = [];
  /**
   * The records by name, made for the first change. A name that is gone keeps its place, so that a walk that goes on
   * meets no name twice.
   */
  #byName: Map<string, ChannelRecord | undefined> | undefined;
  readonly #counts = KINDS.map(() => 0);
  #changes = 0;
  /** By sort and direction. */
  readonly #heads = new Map<string, Head>();
  readonly #indexes = new Map<DirectorySort, Promise<DirectoryIndex>>();
  /** Indexes that are ready; those in the making are made anew after a change. */
  readonly #ready = new Map<DirectorySort, DirectoryIndex>();

  /** While the records are read: the head of the order that the first question is for. */
  #first: FirstRows | undefined;

  constructor(clock: Clock, first?: DirectoryOrder) {
    this.#clock = clock;
    if (first !== undefined) this.#first = new FirstRows(first, HEAD);
    this.builtAt = clock.monotonic();
    this.asOf = clock.now();
  }

  get size(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }

  /** Number of records by `<state> <visibility>`. */
  get counts(): ReadonlyMap<string, number> {
    return new Map(
      KINDS.map((kind, at) => [kind, this.#counts[at] ?? 0] as const).filter(([, count]) => count > 0),
    );
  }

  /** Takes records that were read, each once, before any change. */
  async read(slice: readonly ChannelRecord[]): Promise<void> {
    // Looking changes no count: the channels of the console's feeds are not those of the service.
    let feeds = 0;
    for (const record of slice) {
      if (isOfFeed(record)) feeds += 1;
      else this.#count(record, 1);
    }
    const records = feeds === 0 ? slice : slice.filter(record => !isOfFeed(record));
    this.#slices.push(records);
    if (this.#first?.take(records) === true) await this.#first.trim(this.#clock);
  }

  /** Every record was read; none has changed yet. */
  async allRead(): Promise<void> {
    const first = this.#first;
    if (first === undefined) return;
    this.#first = undefined;
    await first.trim(this.#clock);
    this.#heads.set(orderOf(first.query), { records: first.rows, changes: this.#changes });
  }

  /** Takes the current records of names; undefined, or deleted, removes one. One call at a time. */
  async change(
    changed: readonly (readonly [name: string, record: ChannelRecord | undefined])[],
  ): Promise<void> {
    this.#byName ??= await this.#named();
    for (const [name, record] of changed)
      this.#set(this.#byName, name, record?.state === 'deleted' ? undefined : record);
  }

  async #named(): Promise<Map<string, ChannelRecord | undefined>> {
    const named = new Map<string, ChannelRecord | undefined>();
    for await (const slice of this.#walk()) {
      for (const record of slice) {
        // Deleted and made again while the registry was read.
        const before = named.get(record.name);
        if (before !== undefined) this.#count(before, -1);
        named.set(record.name, record);
      }
    }
    this.#slices = [];
    return named;
  }

  #set(
    byName: Map<string, ChannelRecord | undefined>,
    name: string,
    current: ChannelRecord | undefined,
  ): void {
    if (current !== undefined && isOfFeed(current)) return;
    const before = byName.get(name);
    if (before === undefined && current === undefined) return;
    byName.set(name, current);
    if (before !== undefined) this.#count(before, -1);
    if (current !== undefined) this.#count(current, 1);
    for (const index of this.#ready.values()) {
      if (before !== undefined) index.remove(before);
      if (current !== undefined) index.add(current);
    }
    this.#changes += 1;
    for (const sort of this.#indexes.keys()) if (!this.#ready.has(sort)) this.#indexes.delete(sort);
  }

  #count(record: ChannelRecord, change: number): void {
    const kind = kindOf(record);
    this.#counts[kind] = (this.#counts[kind] ?? 0) + change;
  }

  /** The records in no order, each name once, with a turn of the event loop between the slices. */
  async *#walk(): AsyncIterable<readonly ChannelRecord[]> {
    const slices = this.#byName === undefined ? this.#slices : slicesOf(this.#all());
    for (const slice of slices) {
      yield slice;
      await nextTurn(this.#clock);
    }
  }

  *#all(): Iterable<ChannelRecord> {
    if (this.#byName === undefined) {
      for (const slice of this.#slices) yield* slice;
      return;
    }
    for (const record of this.#byName.values()) if (record !== undefined) yield record;
  }

  async page(query: DirectoryQuery): Promise<DirectoryPage> {
    const { accepts, limit, sort } = query;
    if (accepts === undefined) {
      const rows = (await this.#fromHead(query)) ?? (await this.#fromIndex(query));
      return { ...pageOf(rows, limit, sort), total: this.size, asOf: this.asOf };
    }
    const { rows, total } = await firstRows(this.#clock, this.#walk(), query, limit + 1);
    return { ...pageOf(rows, limit, sort), total, asOf: this.asOf };
  }

  /** Undefined when the page needs the whole order. */
  async #fromHead({
    sort,
    descending,
    limit,
    after,
  }: DirectoryQuery): Promise<readonly ChannelRecord[] | undefined> {
    if (this.#ready.has(sort)) return undefined;
    const order = orderOf({ sort, descending });
    let head = this.#heads.get(order);
    if (head === undefined) {
      if (after !== undefined || limit >= HEAD) return undefined;
      const changes = this.#changes;
      head = {
        records: (await firstRows(this.#clock, this.#walk(), { sort, descending }, HEAD)).rows,
        changes,
      };
      this.#heads.set(order, head);
    } else if (head.changes !== this.#changes) return undefined;
    const { records } = head;
    const rows =
      after === undefined ? records : records.filter(record => isBehind(record, after, sort, descending));
    return rows.length > limit || records.length < HEAD ? rows : undefined;
  }

  async #fromIndex({ sort, descending, limit, after }: DirectoryQuery): Promise<readonly ChannelRecord[]> {
    return (await this.#index(sort)).after(after, descending, limit + 1);
  }

  /** The records of names, in their order, without those that there are not. */
  async only(names: readonly string[]): Promise<readonly ChannelRecord[]> {
    const records = new Map<string, ChannelRecord>();
    const wanted = new Set(names);
    for await (const slice of this.#walk())
      for (const record of slice) if (wanted.has(record.name)) records.set(record.name, record);
    return names.flatMap(name => records.get(name) ?? []);
  }

  /** Made on first use. */
  async #index(sort: DirectorySort): Promise<DirectoryIndex> {
    for (;;) {
      const ready = this.#ready.get(sort);
      if (ready !== undefined) return ready;
      let making = this.#indexes.get(sort);
      if (making === undefined) {
        making = DirectoryIndex.of(this.#all(), sort, this.#clock);
        this.#indexes.set(sort, making);
      }
      const index = await making;
      // A change meanwhile: the index lacks it.
      if (this.#indexes.get(sort) === making) this.#ready.set(sort, index);
    }
  }
}

function pageOf(
  rows: readonly ChannelRecord[],
  limit: number,
  sort: DirectorySort,
): Pick<DirectoryPage, 'records' | 'next'> {
  const records = rows.slice(0, limit);
  const last = rows.length > limit ? records.at(-1) : undefined;
  return last === undefined ? { records } : { records, next: positionOf(last, sort) };
}
