import type { ThreadRow } from './thread-table.ts';

/** The connections of one thread as main counts them. */
interface Count {
  readonly row: ThreadRow;
  /** Handed over so far; it wraps as the thread's own count does. */
  handed: number;
}

/**
 * Which thread gets the next connection: the one with the fewest, those on their way included; of several the one that
 * waited longest (threads 1.2).
 */
export class PlacedConnections {
  readonly #counts = new Map<number, Count>();
  #turn = 0;

  /** A thread starts with nothing. */
  begin(number: number, row: ThreadRow): void {
    this.#counts.set(number, { row, handed: row.taken });
  }

  /** Connections that the thread has not confirmed. */
  onTheWay(number: number): number {
    const count = this.#counts.get(number);
    return count === undefined ? 0 : (count.handed - count.row.taken) | 0;
  }

  /** The thread for the next connection, which counts there from now on; undefined: none can take it. */
  choose(numbers: readonly number[]): number | undefined {
    let best: number | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (let step = 0; step < numbers.length; step++) {
      const number = numbers[(this.#turn + step) % numbers.length] as number;
      const held = (this.#counts.get(number)?.row.open ?? 0) + this.onTheWay(number);
      if (held >= fewest) continue;
      fewest = held;
      best = number;
    }
    if (best === undefined) return undefined;
    this.#turn = (numbers.indexOf(best) + 1) % numbers.length;
    const count = this.#counts.get(best);
    if (count !== undefined) count.handed = (count.handed + 1) | 0;
    return best;
  }

  /** A connection could not be handed over. */
  giveBack(number: number): void {
    const count = this.#counts.get(number);
    if (count !== undefined) count.handed = (count.handed - 1) | 0;
  }
}
