import type { Clock } from '../clock/clock.ts';
import { withDeadline } from './deadline.ts';

/** What an {@link AtMost} is told: the bound, the wait for a turn, and the error of a turn that did not come. */
export interface AtMostOptions {
  /** Works at the same time. */
  readonly most: number;
  readonly clock: Clock;
  /** How long a work may wait for its turn, milliseconds. */
  readonly waitMs: number;
  /** The error of a work whose turn did not come in time. */
  readonly late: () => Error;
}

/** Runs a bounded number of works at the same time. The others wait in the order of the calls. */
export class AtMost {
  readonly #options: AtMostOptions;
  /** Starts the works that wait, the first come first. */
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor(options: AtMostOptions) {
    this.#options = options;
  }

  /** Runs `work` when fewer others run, and settles with its outcome; rejects when its turn does not come in time. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#options.most) this.#running++;
    else await this.#turn();
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  async #turn(): Promise<void> {
    const { clock, waitMs, late } = this.#options;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    await withDeadline(clock, waitMs, promise, () => {
      this.#waiting.delete(resolve);
      throw late();
    });
  }

  /** The next work takes the place of the one that has ended. */
  #leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#running--;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
