import type { Writable } from 'node:stream';
import type { Clock } from '@msg/foundation/clock';

/**
 * Joins what is written to a socket in one turn of the event loop: the requests of a turn become commands that go to the
 * store in one system call, and their answers come back in one.
 */
export class JoinedWrites {
  readonly #clock: Pick<Clock, 'afterTurn'>;

  constructor(clock: Pick<Clock, 'afterTurn'>) {
    this.#clock = clock;
  }

  /** Holds back what is written to the socket until the end of the turn. */
  join(socket: Writable): void {
    if (socket.writableCorked > 0) return;
    socket.cork();
    this.#clock.afterTurn(() => socket.uncork());
  }
}
