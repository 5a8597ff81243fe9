interface Flight<T> {
  readonly running: Promise<T>;
  /** For all who came while it ran: what they ask for may have changed after it began. */
  next: Promise<T> | null;
}

/** At most one equal request in flight. A caller never gets the answer to a request sent before its call. */
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
