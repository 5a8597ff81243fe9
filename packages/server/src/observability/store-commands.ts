import type { Clock } from '@msg/foundation/clock';
import type { AroundCommand } from '@msg/redis';
import { BUCKETS, DurationHistogram, LabelledCounter } from './counters.ts';

/** What commands to the shared store cost, in plain integers. */
export class StoreCommands {
  readonly seconds = new DurationHistogram(BUCKETS);
  readonly failures = new LabelledCounter();

  readonly #clock: Pick<Clock, 'monotonic'>;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Counts what is done inside of `inner`. */
  around(inner: AroundCommand | undefined): AroundCommand {
    return async (command, work) => {
      const start = this.#clock.monotonic();
      try {
        return await (inner === undefined ? work() : inner(command, work));
      } catch (error) {
        // A script that the store does not know yet is sent to it.
        const isAnswer = error instanceof Error && error.message.startsWith('NOSCRIPT');
        if (!isAnswer) this.failures.add(command);
        throw error;
      } finally {
        this.seconds.add(command, (this.#clock.monotonic() - start) / 1000);
      }
    };
  }
}
