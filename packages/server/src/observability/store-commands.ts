import type { Clock } from '@msg/foundation/clock';
import type { AroundCommand } from '@msg/redis';
import { BUCKETS, DurationHistogram, LabelledCounter } from './counters.ts';

/** Counts and durations of commands to the shared store, in plain integers. */
export class StoreCommands {
  readonly seconds = new DurationHistogram(BUCKETS);
  readonly failures = new LabelledCounter();

  readonly #clock: Pick<Clock, 'monotonic'>;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Counts the commands that run inside `inner`. */
  around(inner: AroundCommand | undefined): AroundCommand {
    return async (command, work) => {
      const start = this.#clock.monotonic();
      try {
        return await (inner === undefined ? work() : inner(command, work));
      } catch (error) {
        // NOSCRIPT is not a failure: the script is sent again with its text.
        const isAnswer = error instanceof Error && error.message.startsWith('NOSCRIPT');
        if (!isAnswer) this.failures.add(command);
        throw error;
      } finally {
        this.seconds.add(command, (this.#clock.monotonic() - start) / 1000);
      }
    };
  }
}
