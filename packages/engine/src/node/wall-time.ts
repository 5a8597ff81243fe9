import type { Clock } from '@msg/foundation/clock';

/** By so much the wall clock has to differ from before to have been set. Less is rounding, or a clock that is slowed. */
const SET_MS = 1000;

/**
 * Unix milliseconds of monotonic moments. A moment keeps its time until the wall clock is set: a list in the order of
 * times stays in order while it is read page by page.
 */
export class WallTime {
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  /** Of the wall clock before monotonic time, milliseconds. */
  #ahead = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, 'now' | 'monotonic'>) {
    this.#clock = clock;
  }

  of(monotonicMs: number): number {
    const ahead = this.#clock.now() - this.#clock.monotonic();
    if (Math.abs(ahead - this.#ahead) >= SET_MS) this.#ahead = ahead;
    return Math.round(this.#ahead + monotonicMs);
  }
}
