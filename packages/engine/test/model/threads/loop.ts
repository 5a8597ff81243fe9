import type { Clock, TimerHandle } from '@msg/foundation/clock';

interface Timer {
  readonly at: number;
  readonly loop: Loop;
  readonly callback: () => void;
}

/** The time of one world: it moves only when the world moves it. */
export class WorldTime {
  ms = 1000;
  readonly timers = new Set<Timer>();

  /** Moves time; what is due waits for a turn of its loop. */
  advance(ms: number): void {
    this.ms += ms;
    for (const timer of [...this.timers].sort((a, b) => a.at - b.at)) {
      if (timer.at > this.ms) continue;
      this.timers.delete(timer);
      timer.loop.post(timer.callback, 0);
    }
  }
}

/** The event loop of one simulated thread: it turns when the world lets it. */
export class Loop implements Clock {
  readonly #time: WorldTime;
  #waiting: { readonly turn: number; readonly callback: () => void }[] = [];
  #turn = 0;
  /** Turns that pass without anything: the thread stalls. */
  stalledTurns = 0;
  #isOver = false;

  constructor(time: WorldTime) {
    this.#time = time;
  }

  get isIdle(): boolean {
    return this.#waiting.length === 0;
  }

  /** Runs `callback` so many turns later. */
  post(callback: () => void, turns: number): void {
    if (!this.#isOver) this.#waiting.push({ turn: this.#turn + 1 + turns, callback });
  }

  turn(): void {
    if (this.stalledTurns > 0) {
      this.stalledTurns--;
      return;
    }
    this.#turn++;
    const due = this.#waiting.filter(({ turn }) => turn <= this.#turn);
    this.#waiting = this.#waiting.filter(({ turn }) => turn > this.#turn);
    for (const { callback } of due) if (!this.#isOver) callback();
  }

  /** The thread is gone: nothing of it runs any more. */
  end(): void {
    this.#isOver = true;
    this.#waiting = [];
    for (const timer of this.#time.timers) if (timer.loop === this) this.#time.timers.delete(timer);
  }

  now(): number {
    return this.#time.ms;
  }

  monotonic(): number {
    return this.#time.ms;
  }

  setTimeout(callback: () => void, ms: number): TimerHandle {
    const timer = { at: this.#time.ms + ms, loop: this, callback };
    this.#time.timers.add(timer);
    return timer;
  }

  clearTimeout(handle: TimerHandle): void {
    this.#time.timers.delete(handle as Timer);
  }

  afterTurn(callback: () => void): void {
    this.post(callback, 0);
  }

  deadline(): AbortSignal {
    return new AbortController().signal;
  }
}
