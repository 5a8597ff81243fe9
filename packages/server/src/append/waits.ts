import type { KeyCounts } from '@msg/engine';

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
  /** By channel: what ends a wait. */
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

  /** A wait from now on. */
  next(channel: string): AppendWait {
    const waiting = this.#waiting.get(channel) ?? new Set();
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

/** The calls that may wait for the messages of a channel. */
export class AppendSeats {
  readonly #taken = new Map<string, number>();
  readonly #counts: KeyCounts | undefined;
  #serial = 0;

  /** @param counts those of the process; absent: this service counts alone */
  constructor(counts: KeyCounts | undefined) {
    this.#counts = counts;
  }

  /** Takes a seat and answers what gives it back; `undefined`: all are taken. */
  async take(channel: string): Promise<(() => void) | undefined> {
    const counts = this.#counts;
    if (counts === undefined) return this.#takeHere(channel);
    const id = `append-wait ${++this.#serial}`;
    const isTaken = await counts.add(id, [{ key: `append-wait ${channel}`, most: MOST }]);
    return isTaken ? () => counts.remove(id) : undefined;
  }

  #takeHere(channel: string): (() => void) | undefined {
    const taken = this.#taken.get(channel) ?? 0;
    if (taken >= MOST) return undefined;
    this.#taken.set(channel, taken + 1);
    return () => {
      const left = (this.#taken.get(channel) ?? 0) - 1;
      if (left > 0) this.#taken.set(channel, left);
      else this.#taken.delete(channel);
    };
  }
}
