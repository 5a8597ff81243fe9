import { DashError } from '../errors.ts';

/** Queries that run at once. */
const MOST_OF_CONNECTION = 4;
const MOST_OF_ALL = 32;
/** Queries that wait for their turn. */
const MOST_WAITING = 200;

interface Waiting {
  readonly connection: string;
  readonly start: () => void;
}

/** Turns of queries: at most four of a connection and 32 of all run at once, the others wait in their order. */
export class Slots {
  readonly #running = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  #all = 0;

  /**
   * Takes a turn, at once where one is free; the function it calls back with gives the turn back.
   * @param ended aborts when the query is not wanted any more: it leaves the queue.
   * @throws DashError QUERY_BUSY when too many wait.
   */
  take(connection: string, ended: AbortSignal): (() => void) | Promise<() => void> {
    if (this.#isFree(connection)) return this.#start(connection);
    if (this.#waiting.size >= MOST_WAITING) throw busy();
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    const waiting = { connection, start: () => resolve(this.#start(connection)) };
    this.#waiting.add(waiting);
    ended.addEventListener('abort', () => this.#waiting.delete(waiting) && reject(busy()), { once: true });
    return promise;
  }

  #isFree(connection: string): boolean {
    return this.#all < MOST_OF_ALL && (this.#running.get(connection) ?? 0) < MOST_OF_CONNECTION;
  }

  #start(connection: string): () => void {
    this.#add(connection, 1);
    let isBack = false;
    return () => {
      if (isBack) return;
      isBack = true;
      this.#add(connection, -1);
      this.#startNext();
    };
  }

  #add(connection: string, step: 1 | -1): void {
    const count = (this.#running.get(connection) ?? 0) + step;
    if (count === 0) this.#running.delete(connection);
    else this.#running.set(connection, count);
    this.#all += step;
  }

  #startNext(): void {
    for (const waiting of this.#waiting) {
      if (!this.#isFree(waiting.connection)) continue;
      this.#waiting.delete(waiting);
      waiting.start();
      return;
    }
  }
}

function busy(): DashError {
  return new DashError('QUERY_BUSY', 'Too many queries wait for their turn; try again in a moment.', {
    running: MOST_OF_ALL,
    waiting: MOST_WAITING,
  });
}
