import type { Clock } from '@msg/foundation/clock';

/**
 * The deliveries of one service that are under way, so that its end neither loses nor waits for them: first nothing is
 * tried again, then, after the grace, what is still being sent is cut. Either way it is parked.
 */
export class InFlightDeliveries {
  readonly #clock: Clock;
  readonly #stopping = new AbortController();
  readonly #cutting = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Aborted when nothing is to be tried again. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Aborted when sends under way are cut. */
  get cutting(): AbortSignal {
    return this.#cutting.signal;
  }

  /** Deliveries under way. */
  get size(): number {
    return this.#running.size;
  }

  /** Counts a delivery as under way until it settles. */
  track<T>(delivery: Promise<T>): Promise<T> {
    this.#running.add(delivery);
    const over = () => this.#running.delete(delivery);
    delivery.then(over, over);
    return delivery;
  }

  /** Ends every delivery; resolves when all have been settled, parked ones included. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort();
    const timer = this.#clock.setTimeout(() => this.#cutting.abort(), graceMs);
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
    this.#clock.clearTimeout(timer);
  }
}
