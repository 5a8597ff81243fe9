import type { Clock } from '@msg/foundation/clock';

/** After so long the store's clock is read again. */
const MAX_AGE_MS = 10_000;

/**
 * The shared store's clock, the one clock that all nodes have in common, as far as this node knows it without asking:
 * read once, carried on by monotonic time, read again while it is in use. The clock of the node itself has no part in
 * it. It is wrong by half the time of a round trip, and by what the store's clock was set since the last reading.
 */
export class StoreTime {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #read: () => Promise<number>;
  /** The store's time minus the monotonic time. */
  #lead = 0;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  /** @param read asks the store, Unix milliseconds */
  constructor(clock: Pick<Clock, 'monotonic'>, read: () => Promise<number>) {
    this.#clock = clock;
    this.#read = read;
  }

  /** Reads the store's clock. To be awaited once before {@link now}. */
  look(): Promise<void> {
    this.#reading ??= this.#look().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Unix milliseconds by the store's clock. */
  now(): number {
    const now = this.#clock.monotonic();
    // A store that does not answer now is asked at the next occasion; its clock goes on meanwhile.
    if (now - this.#readAt > MAX_AGE_MS) this.look().catch(() => {});
    return now + this.#lead;
  }

  async #look(): Promise<void> {
    const start = this.#clock.monotonic();
    this.#readAt = start;
    const time = await this.#read();
    this.#lead = time - (start + this.#clock.monotonic()) / 2;
  }
}
