import type { AroundCommand } from '@msg/redis';
import { BUCKETS, DurationTally, Tally } from './tally.ts';

/** What commands to the shared store cost, in plain integers. */
export class StoreCommands {
  readonly seconds = new DurationTally(BUCKETS);
  readonly failures = new Tally();

  /** Counts what is done inside of `inner`. */
  around(inner: AroundCommand | undefined): AroundCommand {
    return async (command, work) => {
      const start = performance.now();
      try {
        return await (inner === undefined ? work() : inner(command, work));
      } catch (error) {
        // A script that the store does not know yet is sent to it.
        const isAnswer = error instanceof Error && error.message.startsWith('NOSCRIPT');
        if (!isAnswer) this.failures.add(command);
        throw error;
      } finally {
        this.seconds.add(command, (performance.now() - start) / 1000);
      }
    };
  }
}
