/** Calls that wait for one message on this node; a further one is answered at once (append streams 5.1). */
const MOST = 4;

/** The wait of one call. */
export interface AppendWait {
  /** Resolves when something happened. */
  readonly happened: Promise<void>;
  /** Ends the wait. */
  readonly forget: () => void;
}

/** Calls that wait until something happens to the message of a channel. */
export class AppendWaits {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Something happened: those who wait look again. */
  wake(channel: string): void {
    const waiting = this.#waiting.get(channel);
    if (waiting === undefined) return;
    this.#waiting.delete(channel);
    for (const resolve of waiting) resolve();
  }

  /** All calls end: the service stops. */
  wakeAll(): void {
    for (const channel of [...this.#waiting.keys()]) this.wake(channel);
  }

  /** A wait from now on; absent: too many wait already. */
  next(channel: string): AppendWait | undefined {
    const waiting = this.#waiting.get(channel) ?? new Set();
    if (waiting.size >= MOST) return undefined;
    this.#waiting.set(channel, waiting);
    let resolve = (): void => {};
    const happened = new Promise<void>(done => {
      resolve = done;
    });
    waiting.add(resolve);
    const forget = (): void => {
      waiting.delete(resolve);
      if (waiting.size === 0 && this.#waiting.get(channel) === waiting) this.#waiting.delete(channel);
    };
    return { happened, forget };
  }
}
