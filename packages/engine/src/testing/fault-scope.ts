import type { Fault, PauseControl, PublicationPause } from './fault.ts';

/** Counts the remaining hits of a fault. */
export class Scope implements Fault {
  readonly #channel: string | undefined;
  #left: number;
  hits = 0;

  constructor(channel: string | undefined, times: number) {
    this.#channel = channel;
    this.#left = times;
  }

  get over(): boolean {
    return this.#left <= 0;
  }

  /** Whether the fault hits this channel; counts a hit. */
  hit(channel: string): boolean {
    if (this.over || (this.#channel !== undefined && this.#channel !== channel)) return false;
    this.#left--;
    this.hits++;
    return true;
  }

  end(): void {
    this.#left = 0;
  }
}

/** Calls that wait for the test, oldest first. */
export class WaitingCalls extends Scope implements PauseControl {
  readonly #queue: (() => void)[] = [];
  #opened = false;

  get waiting(): number {
    return this.#queue.length;
  }

  enter(goOn: () => void): void {
    // A call may arrive here after the gate opened, because another fault held it first.
    if (this.#opened) goOn();
    else this.#queue.push(goOn);
  }

  pass(count = 1): void {
    for (let i = 0; i < count; i++) this.#queue.shift()?.();
  }

  open(): void {
    // Calls that the released ones cause queue up behind them.
    while (this.waiting > 0) this.pass();
    this.#opened = true;
    super.end();
  }

  /** Returns how many were removed. */
  remove(count: number): number {
    return this.#queue.splice(0, count).length;
  }
}

/** Publications that wait for the test, oldest first. */
export class HeldPublications extends WaitingCalls implements PublicationPause {
  readonly #dropped: (count: number) => void;

  constructor(channel: string | undefined, dropped: (count: number) => void) {
    super(channel, Number.POSITIVE_INFINITY);
    this.#dropped = dropped;
  }

  drop(count = 1): void {
    this.#dropped(this.remove(count));
  }

  override end(): void {
    this.open();
  }
}
