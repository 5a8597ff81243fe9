import type { Clock } from '@msg/foundation/clock';

/** How often expired entries are removed. */
const PRUNE_INTERVAL_MS = 5 * 60_000;

interface Entry<V> {
  readonly value: V;
  /** Unix milliseconds. */
  readonly until: number;
  /** The same moment by monotonic time, from the clocks at the creation of the entry. */
  readonly dueAt: number;
}

/**
 * Values about tokens, each valid until a wall-clock time. An entry expires when both the wall clock and monotonic time
 * have passed its end, so that setting the clock forward and back does not drop entries.
 */
export class ExpiringMap<V> {
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly #entries = new Map<string, Entry<V>>();
  #pruneAt: number;

  constructor(clock: Pick<Clock, 'now' | 'monotonic'>) {
    this.#clock = clock;
    this.#pruneAt = clock.monotonic() + PRUNE_INTERVAL_MS;
  }

  /** Number of entries, including expired ones that are not yet removed. */
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

  /** As {@link set}, but keeps an entry that lasts longer. */
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

  /** Unexpired entries, in the order of insertion. */
  *live(): Generator<readonly [key: string, value: V, until: number]> {
    for (const [key, entry] of this.#entries) if (!this.#isOver(entry)) yield [key, entry.value, entry.until];
  }

  #isOver({ until, dueAt }: Entry<V>): boolean {
    return this.#clock.monotonic() > dueAt && this.#clock.now() > until;
  }
}
