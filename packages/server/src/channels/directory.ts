import type { Clock, TimerHandle } from '@msg/foundation/clock';
import { nextTurn } from '../timers/turns.ts';
import { DirectoryCopy, type DirectoryPage } from './directory-copy.ts';
import type { DirectoryOrder, DirectoryQuery } from './directory-rows.ts';
import type { ChannelRecord } from './record.ts';
import type { ChannelRegistry } from './registry/contract.ts';
import { SLICE, slicesOf } from './sorted-slices.ts';

/** A listing of a copy that is older has a new one made behind it. */
const REBUILD_MS = 10_000;
/** Counts of a copy that is older wait for a new one; so long, too, a copy lives without a question. */
const KEEP_MS = 60_000;
/** Each looks for its place in every order that is there: about twenty records. */
const CHANGES_IN_TURN = 30;
/** With more changes since the last question the copy is made anew. */
const MOST_CHANGES = 10_000;

export interface ChannelDirectoryParts {
  readonly registry: Pick<ChannelRegistry, 'list' | 'slices' | 'getAll'>;
  readonly clock: Clock;
}

/**
 * This node's copy of the channel records, for listings and counts: made in slices while questions come, and kept current
 * by lifecycle events. Times of activity are those of the last making. Source: console, section 7.1.
 */
export class ChannelDirectory {
  readonly #registry: ChannelDirectoryParts['registry'];
  readonly #clock: Clock;
  #copy: DirectoryCopy | undefined;
  #making: Promise<DirectoryCopy> | undefined;
  #catchingUp: Promise<void> = Promise.resolve();
  /** Names that changed since the copy was made, and since the next one was begun. */
  #changed = new Set<string>();
  #changedMeanwhile = new Set<string>();
  #askedAt = 0;
  #timer: TimerHandle | undefined;

  constructor({ registry, clock }: ChannelDirectoryParts) {
    this.#registry = registry;
    this.#clock = clock;
  }

  /** A page of the records. Rejects when the registry fails. */
  async page(query: DirectoryQuery): Promise<DirectoryPage> {
    return (await this.#current(REBUILD_MS, false, query)).page(query);
  }

  /** The records of names. Rejects when the registry fails. */
  async only(names: readonly string[]): Promise<{ records: readonly ChannelRecord[]; asOf: number }> {
    const copy = await this.#current(REBUILD_MS, false);
    return { records: await copy.only(names), asOf: copy.asOf };
  }

  /** Number of records by `<state> <visibility>`. Rejects when the registry fails. */
  async counts(): Promise<ReadonlyMap<string, number>> {
    return (await this.#current(KEEP_MS, true)).counts;
  }

  /** A channel changed on any node. */
  changed(name: string): void {
    if (this.#making !== undefined) this.#changedMeanwhile.add(name);
    if (this.#copy === undefined) return;
    this.#changed.add(name);
    if (this.#changed.size > MOST_CHANGES) this.forget();
  }

  /** Events may be lost: the next question makes a new copy. */
  forget(): void {
    this.#copy = undefined;
    this.#changed.clear();
  }

  stop(): void {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.forget();
  }

  /** With `first`, a copy that has to be made looks for the head of this order meanwhile. */
  async #current(maxAgeMs: number, waits: boolean, first?: DirectoryQuery): Promise<DirectoryCopy> {
    this.#askedAt = this.#clock.monotonic();
    this.#arm();
    const copy = this.#copy;
    if (copy === undefined) return this.#make(headOf(first));
    if (this.#askedAt - copy.builtAt > maxAgeMs) {
      const made = this.#make(headOf(first));
      if (waits) return made;
      made.catch(() => {}); // the copy that is there answers; the next question tries again
    }
    await this.#catchUp(copy);
    return copy;
  }

  #arm(): void {
    this.#timer ??= this.#clock.setTimeout(() => {
      this.#timer = undefined;
      if (this.#clock.monotonic() - this.#askedAt >= KEEP_MS) this.forget();
      else this.#arm();
    }, KEEP_MS);
  }

  /** One at a time. */
  #make(first: DirectoryOrder | undefined): Promise<DirectoryCopy> {
    this.#making ??= this.#build(first).finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }

  async #build(first: DirectoryOrder | undefined): Promise<DirectoryCopy> {
    this.#changedMeanwhile = new Set();
    const copy = new DirectoryCopy(this.#clock, first);
    for await (const slice of this.#slices()) {
      await copy.read(slice);
      await nextTurn(this.#clock);
    }
    await copy.allRead();
    while (this.#changedMeanwhile.size > 0) {
      const names = this.#changedMeanwhile;
      this.#changedMeanwhile = new Set();
      await this.#apply(copy, names);
    }
    this.#copy = copy;
    this.#changed.clear();
    return copy;
  }

  async *#slices(): AsyncIterable<readonly ChannelRecord[]> {
    if (this.#registry.slices !== undefined) {
      yield* this.#registry.slices(SLICE);
      return;
    }
    const records = await this.#registry.list();
    for (let start = 0; start < records.length; start += SLICE) yield records.slice(start, start + SLICE);
  }

  /** Questions at one time wait for one another: each sees what changed before it. */
  async #catchUp(copy: DirectoryCopy): Promise<void> {
    const names = this.#changed;
    if (names.size > 0) {
      this.#changed = new Set();
      this.#catchingUp = this.#catchingUp.catch(() => {}).then(() => this.#apply(copy, names));
    }
    try {
      await this.#catchingUp;
    } catch (error) {
      this.#catchingUp = Promise.resolve();
      this.forget();
      throw error;
    }
  }

  async #apply(copy: DirectoryCopy, names: ReadonlySet<string>): Promise<void> {
    const all = [...names];
    for (let start = 0; start < all.length; start += SLICE) {
      const slice = all.slice(start, start + SLICE);
      const records = await this.#registry.getAll(slice);
      const changed = slice.map((name, index) => [name, records[index]] as const);
      for (const some of slicesOf(changed, CHANGES_IN_TURN)) {
        await copy.change(some);
        await nextTurn(this.#clock);
      }
    }
  }
}

/** A filtered page, or one that is not the first, has no use for the head of the whole order. */
function headOf(query: DirectoryQuery | undefined): DirectoryOrder | undefined {
  return query === undefined || query.accepts !== undefined || query.after !== undefined ? undefined : query;
}
