import type { Duplex } from 'node:stream';
import type { Clock } from '@msg/foundation/clock';
import { TurnBudget } from '../../timers/turn-budget.ts';

/** Upgrades in one turn of the event loop; a thousand may come at the same time. */
export const UPGRADES_PER_TURN = 32;

interface WaitingUpgrade {
  readonly socket: Duplex;
  readonly begin: () => void;
}

/** Begins upgrades in the order of their coming, so many in one turn: connected clients have theirs in between. */
export class UpgradeTurns {
  readonly #budget: TurnBudget;
  readonly #waiting: WaitingUpgrade[] = [];

  constructor(clock: Clock) {
    this.#budget = new TurnBudget(clock, UPGRADES_PER_TURN, () => this.#serve());
  }

  /** Calls `begin` now or in a later turn, unless the socket has ended by then. */
  add(socket: Duplex, begin: () => void): void {
    this.#budget.arm();
    if (this.#budget.hasLeft && this.#waiting.length === 0) {
      this.#budget.spend(1);
      begin();
      return;
    }
    // Without a listener an error would end the process.
    socket.on('error', destroyOnError);
    this.#waiting.push({ socket, begin });
  }

  #serve(): boolean {
    for (const { socket, begin } of this.#waiting.splice(0, UPGRADES_PER_TURN)) {
      this.#budget.spend(1);
      if (socket.destroyed) continue;
      begin();
      socket.off('error', destroyOnError);
    }
    return this.#waiting.length > 0;
  }
}

function destroyOnError(this: Duplex): void {
  this.destroy();
}
