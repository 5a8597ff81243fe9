import type { Clock } from '@msg/foundation/clock';

/** How often entries that are over are looked for. */
const PRUNE_INTERVAL_MS = 5 * 60_000;

interface Entry<V> {
  readonly value: V;
  /** Unix milliseconds. */
  readonly until: number;
  /** The same moment by monotonic time, as the clocks stood when the entry was made. */
  readonly dueAt: number;
}

/**
 * Values about tokens, each of use until a moment of the wall clock. An entry is over when the wall clock and the time
 * that has passed both say so: a clock that is set forward, and back again, forgives nothing.
 */
export class ExpiringMap<V> {
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly #entries = new Map<string, Entry<V>>();
  #pruneAt: number;

  constructor(clock: Pick<Clock, 'now' | 'monotonic'>) {
    this.#clock = clock;
    this.#pruneAt = clock.monotonic() + PRUNE_INTERVAL_MS;
  }

  /** Entries kept, also those that are over and not pruned yet. */
  get size(): number {
    return this.#entries.size;
  }

  /** The value; `undefined` when it is absent or expired. */
  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    return entry === undefined || this.#isOver(entry) ? undefined : entry.value;
  }

  set(key: string, value: V, until: number): void {
    const monotonic = this.#clock.monotonic();
    if (monotonic >= this.#pruneAt) this.#prune();
    this.#entries.set(key, { value, until, dueAt: monotonic + until - this.#clock.now() });
  }

  /** As {@link set}; an entry that lasts longer already goes on lasting. */
  extend(key: string, value: V, until: number): void {
    this.set(key, value, Math.max(until, this.#entries.get(key)?.until ?? until));
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  #prune(): void {
    this.#pruneAt = this.#clock.monotonic() + PRUNE_INTERVAL_MS;
    for (const [key, entry] of this.#entries) if (this.#isOver(entry)) this.#entries.delete(key);
  }

  /** Entries that are not over, in the order of their keys' first ones. */
  *live(): Generator<readonly [key: string, value: V, until: number]> {
    for (const [key, entry] of this.#entries) if (!this.#isOver(entry)) yield [key, entry.value, entry.until];
  }

  #isOver({ until, dueAt }: Entry<V>): boolean {
    return this.#clock.monotonic() > dueAt && this.#clock.now() > until;
  }
}
