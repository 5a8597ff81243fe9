import type { Clock, TimerHandle } from '@msg/foundation/clock';

/**
 * Runs a task periodically, `intervalMs` after the end of the previous run, until it is stopped. `onError` gets failures,
 * which do not end the repetition.
 */
export class Periodic {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #task: () => Promise<unknown>;
  readonly #onError: (error: unknown) => void;
  #timer: TimerHandle | null = null;
  #running: Promise<void> | null = null;
  #stopped = true;

  constructor(
    clock: Clock,
    intervalMs: number,
    task: () => Promise<unknown>,
    onError: (error: unknown) => void,
  ) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
    this.#task = task;
    this.#onError = onError;
  }

  start(): void {
    if (!this.#stopped) return;
    this.#stopped = false;
    this.#arm();
  }

  #arm(): void {
    this.#timer = this.#clock.setTimeout(() => {
      this.#running = this.#run();
    }, this.#intervalMs);
  }

  async #run(): Promise<void> {
    try {
      await this.#task();
    } catch (error) {
      this.#onError(error);
    }
    this.#running = null;
    if (!this.#stopped) this.#arm();
  }

  /** Ends the repetition and waits for the current run. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) this.#clock.clearTimeout(this.#timer);
    await this.#running;
  }
}
