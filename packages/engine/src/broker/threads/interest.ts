import type { StreamPosition } from '../contract.ts';

/** Who of the process wants the events of one channel: main and, as masks, its threads (threads 4.1). */
export class Interest {
  /** Resolves when the broker delivers the channel. */
  readonly ready: Promise<void>;
  #main = false;
  #mask = 0;
  #watching = 0;
  #isDelta = false;
  /** Threads that keep the publication at `#lastOffset`, or the document of the state there. */
  #known = 0;
  #lastOffset = 0;
  #lastEpoch = '';

  constructor(ready: Promise<void>) {
    this.ready = ready;
  }

  /** Threads that are subscribed. */
  get mask(): number {
    return this.#mask;
  }

  /** Threads that want to know of changes of the channel's message. */
  get watching(): number {
    return this.#watching;
  }

  get isEmpty(): boolean {
    return !this.#main && (this.#mask | this.#watching) === 0;
  }

  setMain(main: boolean): void {
    this.#main = main;
  }

  subscribe(bit: number): void {
    this.#mask |= bit;
  }

  unsubscribe(bit: number): void {
    this.#mask &= ~bit;
    this.#known &= ~bit;
  }

  watch(bit: number): void {
    this.#watching |= bit;
  }

  unwatch(bit: number): void {
    this.#watching &= ~bit;
  }

  /** True from the first publication on that permits deltas: threads keep the last publication. */
  isDelta(delta: boolean): boolean {
    this.#isDelta ||= delta;
    return this.#isDelta;
  }

  /** The threads that keep what came right before this position. */
  knowing({ offset, epoch }: StreamPosition): number {
    return this.#lastOffset === offset - 1 && this.#lastEpoch === epoch ? this.#known : 0;
  }

  /** These threads keep what came at this position; all others keep nothing. */
  setKnown({ offset, epoch }: StreamPosition, mask: number): void {
    this.#lastOffset = offset;
    this.#lastEpoch = epoch;
    this.#known = mask;
  }
}
