import type { Duplex } from 'node:stream';
import type { Clock } from '@msg/foundation/clock';

/** Upgrades in one turn of the event loop; a thousand may come at the same time. */
export const UPGRADES_PER_TURN = 32;

interface WaitingUpgrade {
  readonly socket: Duplex;
  readonly begin: () => void;
}

/** Begins upgrades in the order of their coming, so many in one turn: connected clients have theirs in between. */
export class UpgradeTurns {
  #left = UPGRADES_PER_TURN;
  readonly #waiting: WaitingUpgrade[] = [];
  #armed = false;
  readonly #clock: Clock;
  readonly #turn = (): void => this.#run();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `begin` now or in a later turn, unless the socket has ended by then. */
  add(socket: Duplex, begin: () => void): void {
    this.#arm();
    if (this.#left > 0 && this.#waiting.length === 0) {
      this.#left--;
      begin();
      return;
    }
    // Without a listener an error would end the process.
    socket.on('error', destroyOnError);
    this.#waiting.push({ socket, begin });
  }

  #arm(): void {
    if (this.#armed) return;
    this.#armed = true;
    this.#clock.afterTurn(this.#turn);
  }

  #run(): void {
    this.#armed = false;
    this.#left = UPGRADES_PER_TURN;
    for (const { socket, begin } of this.#waiting.splice(0, UPGRADES_PER_TURN)) {
      this.#left--;
      if (socket.destroyed) continue;
      begin();
      socket.off('error', destroyOnError);
    }
    if (this.#waiting.length > 0) this.#arm();
  }
}

function destroyOnError(this: Duplex): void {
  this.destroy();
}
