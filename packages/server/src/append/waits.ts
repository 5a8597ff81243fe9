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
  /** By channel: what ends a wait, and whether it is free. */
  readonly #waiting = new Map<string, Map<() => void, boolean>>();

  /** Something happened: those who wait look again. */
  wake(channel: string): void {
    const waiting = this.#waiting.get(channel);
    if (waiting === undefined) return;
    this.#waiting.delete(channel);
    for (const resolve of waiting.keys()) resolve();
  }

  /** All calls end: the service stops. */
  wakeAll(): void {
    for (const channel of [...this.#waiting.keys()]) this.wake(channel);
  }

  /** A wait from now on; absent: too many wait already. One that is `free` may always wait, and is not counted. */
  next(channel: string, free = false): AppendWait | undefined {
    const waiting = this.#waiting.get(channel) ?? new Map<() => void, boolean>();
    if (!free && [...waiting.values()].filter(isFree => !isFree).length >= MOST) return undefined;
    this.#waiting.set(channel, waiting);
    let resolve = (): void => {};
    const happened = new Promise<void>(done => {
      resolve = done;
    });
    waiting.set(resolve, free);
    const forget = (): void => {
      waiting.delete(resolve);
      if (waiting.size === 0 && this.#waiting.get(channel) === waiting) this.#waiting.delete(channel);
    };
    return { happened, forget };
  }
}
