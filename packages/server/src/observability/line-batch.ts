import type { Clock, TimerHandle } from '@msg/foundation/clock';

/** Writes several lines at a time. */
export interface LineDestination {
  write(lines: string): unknown;
}

/** Characters, or milliseconds, after which the collected lines are written. */
const BATCH_CHARACTERS = 65_536;
const BATCH_MS = 50;

/** Collects lines, so that a busy server writes them together. */
export class LineBatch {
  readonly #destination: LineDestination;
  readonly #clock: Clock;
  #lines = '';
  #timer: TimerHandle | null = null;

  constructor(destination: LineDestination, clock: Clock) {
    this.#destination = destination;
    this.#clock = clock;
  }

  write(line: string): void {
    this.#lines += line;
    if (this.#lines.length >= BATCH_CHARACTERS) this.#hand();
    else this.#timer ??= this.#clock.setTimeout(() => this.flush(), BATCH_MS);
  }

  /** Writes the collected lines. */
  flush(): void {
    if (this.#timer !== null) this.#clock.clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#lines !== '') this.#hand();
  }

  /** Writes the batch and keeps the timer: under load there is one timer per period, not per batch. */
  #hand(): void {
    const lines = this.#lines;
    this.#lines = '';
    this.#destination.write(lines);
  }
}
