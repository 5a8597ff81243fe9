import type { MaybePromise } from './maybe-promise.ts';

function ignore(): void {}

/** Runs work strictly one after the other, in the order of the calls. Work that fails does not stop what follows it. */
export class SerialQueue {
  /** Resolves when the last queued work has settled; never rejects. */
  #last: Promise<void> = Promise.resolve();

  /** Runs `work` when all work before it has settled, never in this turn; settles with its outcome. */
  run<T>(work: () => MaybePromise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.then(ignore, ignore);
    return result;
  }

  /** Resolves when all work queued so far has settled. Never rejects. */
  settled(): Promise<void> {
    return this.#last;
  }
}
