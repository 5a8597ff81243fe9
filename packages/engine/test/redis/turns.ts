/** Begins a wait of the case, whose turn ends with that. */
type Done = <T>(wait: () => T) => T;

/** Cases that are begun at once compute by turns. One that waits for time has done with its turn, for good. */
export class Turns {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  /** @param count how many compute at a time */
  constructor(count: number) {
    this.#free = count;
  }

  /** The body of a case, which begins with its turn. */
  each<T>(body: (value: T, done: Done) => Promise<void>): (value: T) => Promise<void> {
    return async value => {
      if (this.#free > 0) this.#free--;
      else await new Promise<void>(resolve => this.#waiting.push(resolve));
      let hasTurn = true;
      const done: Done = wait => {
        if (hasTurn) this.#next();
        hasTurn = false;
        return wait();
      };
      try {
        await body(value, done);
      } finally {
        if (hasTurn) this.#next();
      }
    };
  }

  #next(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
