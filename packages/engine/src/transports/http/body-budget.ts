/** The part of a share that bodies in several pieces leave free. */
const WHOLE_PART = 1 / 16;

/** What the bodies of requests under way hold together, and how much they may hold. All numbers are bytes. */
export class BodyBudget {
  readonly #limit: number;
  #held = 0;
  /** The part of `#held` that requests without a credential hold. */
  #anonymous = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get heldBytes(): number {
    return this.#held;
  }

  /**
   * Reserves room; false when it is used up. Requests without a credential get at most half of the budget: they
   * cannot shut out those that have one. A sixteenth is for bodies that are whole with their first piece, which leave
   * with their answer: peers whose bodies never end cannot shut them out.
   */
  take(bytes: number, anonymous: boolean, whole: boolean): boolean {
    const part = whole ? 1 : 1 - WHOLE_PART;
    if (this.#held + bytes > this.#limit * part) return false;
    if (anonymous) {
      if (this.#anonymous + bytes > (this.#limit / 2) * part) return false;
      this.#anonymous += bytes;
    }
    this.#held += bytes;
    return true;
  }

  /** Gives back what was taken. */
  give(bytes: number, anonymous: boolean): void {
    this.#held -= bytes;
    if (anonymous) this.#anonymous -= bytes;
  }
}
