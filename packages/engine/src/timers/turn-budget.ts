import type { Clock } from '@msg/foundation/clock';

/**
 * How much may be done in one turn of the event loop. The first use in a turn sees to it that the budget is full again
 * in the next one, and that what waits is served then.
 */
export class TurnBudget {
  readonly #clock: Clock;
  readonly #amount: number;
  /** Serves what waits. Answers whether more is waiting. */
  readonly #serve: () => boolean;
  readonly #turn = (): void => this.#refill();
  #left: number;
  #armed = false;

  constructor(clock: Clock, amount: number, serve: () => boolean) {
    this.#clock = clock;
    this.#amount = amount;
    this.#serve = serve;
    this.#left = amount;
  }

  /** Whether something may be done in this turn. */
  get hasLeft(): boolean {
    return this.#left > 0;
  }

  /** Something is done, or begins to wait, in this turn. */
  arm(): void {
    if (this.#armed) return;
    this.#armed = true;
    this.#clock.afterTurn(this.#turn);
  }

  /** So much was done. */
  spend(amount: number): void {
    this.#left -= amount;
  }

  #refill(): void {
    this.#armed = false;
    this.#left = this.#amount;
    if (this.#serve()) this.arm();
  }
}
