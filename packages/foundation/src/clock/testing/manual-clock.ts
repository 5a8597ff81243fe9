import { type Clock, systemClock, type TimerHandle } from '../clock.ts';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

/** Lets pending promise reactions run. */
function settled(): Promise<void> {
  return new Promise(resolve => systemClock.afterTurn(resolve));
}

/** A clock that moves only when a test moves it. */
export class ManualClock implements Clock {
  /** Starts apart from the wall clock, so that code which mixes them fails at once. */
  #monotonic = 1000;
  /** Of the wall clock over the monotonic one. */
  #ahead: number;
  #order = 0;
  readonly #timers = new Set<Timer>();

  /** `start`: Unix milliseconds. */
  constructor(start = Date.UTC(2026, 0, 2, 3, 4, 5)) {
    this.#ahead = start - this.#monotonic;
  }

  /** Timers that have not fired. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Whole milliseconds, as those of the system. */
  now(): number {
    return Math.floor(this.#ahead + this.#monotonic);
  }

  monotonic(): number {
    return this.#monotonic;
  }

  /** Sets the wall clock forward or back. Timers and monotonic time do not change. */
  jump(ms: number): void {
    this.#ahead += ms;
  }

  setTimeout(callback: () => void, ms: number): TimerHandle {
    const timer = { at: this.#monotonic + ms, order: this.#order++, callback };
    this.#timers.add(timer);
    return timer;
  }

  clearTimeout(handle: TimerHandle): void {
    this.#timers.delete(handle as Timer);
  }

  /** Runs after the turn of the real event loop: only time is manual. */
  afterTurn(callback: () => void): void {
    systemClock.afterTurn(callback);
  }

  /** Its timer is pending until then. */
  deadline(ms: number): AbortSignal {
    const controller = new AbortController();
    this.setTimeout(() => controller.abort(new DOMException('the deadline has passed', 'TimeoutError')), ms);
    return controller.signal;
  }

  /** Moves both clocks forward and fires due timers in order; promises settle before the first and after each timer. */
  async advance(ms: number): Promise<void> {
    await settled();
    const target = this.#monotonic + ms;
    for (let timer = this.#earliest(target); timer !== null; timer = this.#earliest(target)) {
      this.#timers.delete(timer);
      this.#monotonic = Math.max(this.#monotonic, timer.at);
      timer.callback();
      await settled();
    }
    this.#monotonic = target;
    await settled();
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
