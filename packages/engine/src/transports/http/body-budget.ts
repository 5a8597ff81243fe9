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
   * Reserves room; false when the budget is used up. Requests without a credential get at most half of the budget: they
   * cannot shut out those that have one.
   */
  take(bytes: number, anonymous: boolean): boolean {
    if (this.#held + bytes > this.#limit) return false;
    if (anonymous) {
      if (this.#anonymous + bytes > this.#limit / 2) return false;
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
