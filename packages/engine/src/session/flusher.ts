/** Something with queued bytes. */
export interface Flushable {
  /** True while it stands in the flusher's list; written by the flusher and read by the queue. */
  scheduled: boolean;
  flush(): void;
}

/**
 * Flushes everything that got queued during one turn of the event loop right after that turn, so that many
 * messages for one socket leave in one write.
 */
export class Flusher {
  readonly #delay: ((run: () => void) => void) | null;
  readonly #run: () => void;
  #dirty: Flushable[] = [];
  /** The list flushed last, emptied and kept for the next turn. */
  #spare: Flushable[] = [];
  #armed = false;

  /** `delay`: schedules the flush later than the end of this turn (write delay), trading latency for CPU. */
  constructor(delay: ((run: () => void) => void) | null = null) {
    this.#delay = delay;
    this.#run = () => this.#flushAll();
  }

  schedule(queue: Flushable): void {
    queue.scheduled = true;
    this.#dirty.push(queue);
    if (this.#armed) return;
    this.#armed = true;
    if (this.#delay === null) setImmediate(this.#run);
    else this.#delay(this.#run);
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
