import type { Clock, TimerHandle } from '@msg/foundation/clock';

/** Runs `work` at once when it is asked for, and again after `ms` when it was asked for meanwhile. */
export class AtMostEvery {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #work: () => void;
  #timer: TimerHandle | undefined;
  #isAskedAgain = false;

  constructor(clock: Clock, ms: number, work: () => void) {
    this.#clock = clock;
    this.#ms = ms;
    this.#work = work;
  }

  ask(): void {
    if (this.#timer !== undefined) {
      this.#isAskedAgain = true;
      return;
    }
    this.#isAskedAgain = false;
    this.#timer = this.#clock.setTimeout(() => {
      this.#timer = undefined;
      if (this.#isAskedAgain) this.ask();
    }, this.#ms);
    this.#work();
  }

  /** Nothing runs any more. */
  stop(): void {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isAskedAgain = false;
  }
}
