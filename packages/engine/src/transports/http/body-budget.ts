import type { NodeTotals, Total } from '../../bounds.ts';

/** The part of a share that bodies in several pieces leave free. */
const WHOLE_PART = 1 / 16;

/** What the bodies of requests under way hold together, and how much they may hold. All numbers are bytes. */
export class BodyBudget {
  readonly #limit: number;
  readonly #held: Total;
  /** The part of `#held` that requests without a credential hold. */
  readonly #anonymous: Total;

  constructor(limit: number, { bodies, anonymousBodies }: Pick<NodeTotals, 'bodies' | 'anonymousBodies'>) {
    this.#limit = limit;
    this.#held = bodies;
    this.#anonymous = anonymousBodies;
  }

  /** What the bodies of this node hold. */
  get heldBytes(): number {
    return this.#held.own;
  }

  /**
   * Reserves room; false when it is used up. Requests without a credential get at most half of the budget: they
   * cannot shut out those that have one. A sixteenth is for bodies that are whole with their first piece, which leave
   * with their answer: peers whose bodies never end cannot shut them out.
   */
  take(bytes: number, anonymous: boolean, whole: boolean): boolean {
    const part = whole ? 1 : 1 - WHOLE_PART;
    if (anonymous && !this.#anonymous.take(bytes, (this.#limit / 2) * part)) return false;
    const isTaken = this.#held.take(bytes, this.#limit * part);
    if (anonymous && !isTaken) this.#anonymous.give(bytes);
    return isTaken;
  }

  /** Gives back what was taken. */
  give(bytes: number, anonymous: boolean): void {
    this.#held.give(bytes);
    if (anonymous) this.#anonymous.give(bytes);
  }
}
