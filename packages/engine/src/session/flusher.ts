import type { Clock } from '@msg/foundation/clock';

/** Something with queued bytes. */
export interface Flushable {
  /** True while it is in the flusher's list; the flusher writes it, the queue reads it. */
  scheduled: boolean;
  flush(): void;
}

/**
 * Flushes, right after each turn of the event loop, what that turn queued, so that many messages for one socket leave in
 * one write.
 */
export class Flusher {
  readonly #clock: Clock;
  readonly #delayMs: number;
  readonly #run: () => void;
  #dirty: Flushable[] = [];
  /** The previous list, emptied, for the next turn. */
  #spare: Flushable[] = [];
  #armed = false;

  /** @param delayMs above 0: flushes this much later than the end of the turn, which trades latency for CPU */
  constructor(clock: Clock, delayMs: number) {
    this.#clock = clock;
    this.#delayMs = delayMs;
    this.#run = () => this.#flushAll();
  }

  schedule(queue: Flushable): void {
    queue.scheduled = true;
    this.#dirty.push(queue);
    if (this.#armed) return;
    this.#armed = true;
    if (this.#delayMs === 0) this.#clock.afterTurn(this.#run);
    else this.#clock.setTimeout(this.#run, this.#delayMs);
  }

  #flushAll(): void {
    this.#armed = false;
    const list = this.#dirty;
    this.#dirty = this.#spare;
    for (let i = 0; i < list.length; i++) {
      const queue = list[i] as Flushable;
      queue.scheduled = false;
      queue.flush();
    }
    list.length = 0;
    this.#spare = list;
  }
}
