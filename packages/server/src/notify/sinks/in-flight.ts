import type { Clock } from '@msg/foundation/clock';

/**
 * The running deliveries of one service. A stop first ends retries, then, after the grace time, aborts running sends;
 * both become dead letters, so that the stop neither loses them nor waits for them.
 */
export class InFlightDeliveries {
  readonly #clock: Clock;
  readonly #stopping = new AbortController();
  readonly #abort = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Aborted when retries end. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Aborted when running sends are aborted. */
  get aborted(): AbortSignal {
    return this.#abort.signal;
  }

  /** Number of running deliveries. */
  get size(): number {
    return this.#running.size;
  }

  /** Counts a delivery as running until it settles. */
  track<T>(delivery: Promise<T>): Promise<T> {
    this.#running.add(delivery);
    const over = () => this.#running.delete(delivery);
    delivery.then(over, over);
    return delivery;
  }

  /** Ends every delivery; resolves when all have settled, including their dead letters. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort();
    const timer = this.#clock.setTimeout(() => this.#abort.abort(), graceMs);
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
    this.#clock.clearTimeout(timer);
  }
}
