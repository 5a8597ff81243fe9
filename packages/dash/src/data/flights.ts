/** One piece of work under way, and how many wait for it. */
interface Flight<T> {
  readonly result: Promise<T>;
  readonly end: AbortController;
  waiting: number;
}

/** Work that many ask for and that is done once. It is ended when the last of them has left. */
export class Flights<T> {
  readonly #under = new Map<string, Flight<T>>();

  /** Work under way. */
  get size(): number {
    return this.#under.size;
  }

  /** The work of `key` when it is under way. @param leaving aborts when the caller no longer waits. */
  join(key: string, leaving: AbortSignal | undefined): Promise<T> | undefined {
    const flight = this.#under.get(key);
    if (flight !== undefined) this.#wait(key, flight, leaving);
    return flight?.result;
  }

  /** Work that has begun. @param end ends it. */
  add(key: string, result: Promise<T>, end: AbortController, leaving: AbortSignal | undefined): Promise<T> {
    const flight: Flight<T> = {
      result: result.finally(() => this.#forget(key, flight)),
      end,
      waiting: 0,
    };
    this.#under.set(key, flight);
    this.#wait(key, flight, leaving);
    return flight.result;
  }

  #wait(key: string, flight: Flight<T>, leaving: AbortSignal | undefined): void {
    flight.waiting++;
    if (leaving === undefined) return;
    const leave = (): void => {
      flight.waiting--;
      if (flight.waiting > 0 || this.#under.get(key) !== flight) return;
      this.#forget(key, flight);
      flight.end.abort();
    };
    if (leaving.aborted) {
      leave();
      return;
    }
    leaving.addEventListener('abort', leave, { once: true });
    const forget = (): void => leaving.removeEventListener('abort', leave);
    flight.result.then(forget, forget);
  }

  #forget(key: string, flight: Flight<T>): void {
    if (this.#under.get(key) === flight) this.#under.delete(key);
  }
}
