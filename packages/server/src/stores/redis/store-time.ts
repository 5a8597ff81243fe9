import type { Clock } from '@msg/foundation/clock';

/** Maximum age of a reading of the store's clock. */
const MAX_AGE_MS = 10_000;

/**
 * This node's estimate of the shared store's clock, which all nodes have in common: a reading plus monotonic time,
 * refreshed while it is in use. It does not depend on the node's wall clock. Its error is half a round trip, plus any
 * change of the store's clock since the reading.
 */
export class StoreTime {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #read: () => Promise<number>;
  /** The store's time minus the monotonic time. */
  #lead = 0;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  /** @param read reads the store's clock, Unix milliseconds */
  constructor(clock: Pick<Clock, 'monotonic'>, read: () => Promise<number>) {
    this.#clock = clock;
    this.#read = read;
  }

  /** Reads the store's clock. Await it once before {@link now}. */
  poll(): Promise<void> {
    this.#reading ??= this.#poll().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Unix milliseconds by the store's clock. */
  now(): number {
    const now = this.#clock.monotonic();
    // A failed reading is repeated at the next call; the estimate continues meanwhile.
    if (now - this.#readAt > MAX_AGE_MS) this.poll().catch(() => {});
    return now + this.#lead;
  }

  async #poll(): Promise<void> {
    const start = this.#clock.monotonic();
    this.#readAt = start;
    const time = await this.#read();
    this.#lead = time - (start + this.#clock.monotonic()) / 2;
  }
}
