import type { Clock, TimerHandle } from '../clock/clock.ts';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

/** A clock that stands still until it is told to move. For tests of embedders and of this package. */
export class ManualClock implements Clock {
  #now: number;
  #order = 0;
  readonly #timers = new Set<Timer>();

  /** `start`: Unix milliseconds. */
  constructor(start = Date.UTC(2026, 0, 2, 3, 4, 5)) {
    this.#now = start;
  }

  /** Timers that have not fired. */
  get pending(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#now;
  }

  setTimeout(callback: () => void, ms: number): TimerHandle {
    const timer = { at: this.#now + ms, order: this.#order++, callback };
    this.#timers.add(timer);
    return timer;
  }

  clearTimeout(handle: TimerHandle): void {
    this.#timers.delete(handle as Timer);
  }

  /** Moves time forward, fires what is due in order, and lets promises settle after each timer. */
  async advance(ms: number): Promise<void> {
    const target = this.#now + ms;
    for (let timer = this.#earliest(target); timer !== null; timer = this.#earliest(target)) {
      this.#timers.delete(timer);
      this.#now = Math.max(this.#now, timer.at);
      timer.callback();
      await new Promise(resolve => setImmediate(resolve));
    }
    this.#now = target;
    await new Promise(resolve => setImmediate(resolve));
  }

  #earliest(target: number): Timer | null {
    let earliest: Timer | null = null;
    for (const timer of this.#timers) {
      if (timer.at > target) continue;
      if (
        earliest === null ||
        timer.at < earliest.at ||
        (timer.at === earliest.at && timer.order < earliest.order)
      ) {
        earliest = timer;
      }
    }
    return earliest;
  }
}
