import type { Clock } from '@msg/foundation/clock';

/**
 * Limits the work of one turn of the event loop. The first use in a turn schedules the next one, which refills the budget
 * and serves what waits.
 */
export class TurnBudget {
  readonly #clock: Clock;
  readonly #amount: number;
  /** Serves what waits; returns whether more is waiting. */
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

  /** Whether the budget of this turn has anything left. */
  get hasLeft(): boolean {
    return this.#left > 0;
  }

  /** Schedules the next turn, if this is the first use in a turn. */
  arm(): void {
    if (this.#armed) return;
    this.#armed = true;
    this.#clock.afterTurn(this.#turn);
  }

  /** Takes an amount from the budget. */
  spend(amount: number): void {
    this.#left -= amount;
  }

  #refill(): void {
    this.#armed = false;
    this.#left = this.#amount;
    if (this.#serve()) this.arm();
  }
}
