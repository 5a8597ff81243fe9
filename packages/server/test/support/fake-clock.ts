import type { Clock, TimerHandle } from '@msg/engine';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** A clock that moves only when a test says so. Starts at 2026-01-02T03:04:05Z. */
export class FakeClock implements Clock {
  #now = Date.UTC(2026, 0, 2, 3, 4, 5);
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#now;
  }

  /** Timers that are set. */
  get pending(): number {
    return this.#timers.size;
  }

  setTimeout(callback: () => void, ms: number): TimerHandle {
    const timer = { at: this.#now + ms, callback };
    this.#timers.add(timer);
    return timer;
  }

  clearTimeout(handle: TimerHandle): void {
    this.#timers.delete(handle as Timer);
  }

  /** Moves time on, running what falls due in order, and lets promises settle in between. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await settle();
      const due = [...this.#timers].filter(timer => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers.delete(due);
      this.#now = Math.max(this.#now, due.at);
      due.callback();
    }
    this.#now = end;
    await settle();
  }
}

/** Lets pending promise reactions run. */
export function settle(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}
