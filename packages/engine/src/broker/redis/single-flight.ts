interface Flight<T> {
  readonly running: Promise<T>;
  /**
   * The request after this one, shared by all callers that came while this one ran: its answer may be out of date for
   * them.
   */
  next: Promise<T> | null;
}

/** Keeps at most one equal request in flight. No caller gets the answer to a request that was sent before its call. */
export class SingleFlight<T> {
  readonly #flights = new Map<string, Flight<T>>();

  run(request: string, send: () => Promise<T>): Promise<T> {
    const flight = this.#flights.get(request);
    if (flight === undefined) return this.#start(request, send);
    const again = (): Promise<T> => this.#start(request, send);
    flight.next ??= flight.running.then(again, again);
    return flight.next;
  }

  #start(request: string, send: () => Promise<T>): Promise<T> {
    const flight: Flight<T> = { running: send(), next: null };
    this.#flights.set(request, flight);
    const landed = (): void => {
      if (flight.next === null) this.#flights.delete(request);
    };
    flight.running.then(landed, landed);
    return flight.running;
  }
}
