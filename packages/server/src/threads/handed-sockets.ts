import { Socket, type SocketConstructorOpts } from 'node:net';
import { systemClock } from '@msg/foundation/clock';

/**
 * What the system has of a connection. `node:net` has no public name for it: a socket keeps it in `_handle`, and takes one as
 * `handle`. It crosses to another thread at half of the cost of the socket around it, and several at once.
 */
export type SocketHandle = object;
type HandledSocket = Socket & { _handle?: SocketHandle | null };

/** Where a {@link HandedSockets} gives its connections. */
export interface SocketTaker {
  /** @throws Error when the thread cannot take them */
  give(handles: readonly SocketHandle[]): void;
  /** A connection was not given: with `true` because the thread could not take it, else because it had ended before. */
  notGiven(isFailure: boolean): void;
}

/** The connections that main has accepted for one thread; those of one turn go together. */
export class HandedSockets {
  readonly #taker: SocketTaker;
  #accepted: HandledSocket[] = [];

  constructor(taker: SocketTaker) {
    this.#taker = taker;
  }

  /** Gives the thread a connection from which nothing was read. */
  add(socket: Socket): void {
    if (this.#accepted.push(socket) === 1) systemClock.afterTurn(() => this.#give());
  }

  #give(): void {
    const accepted = this.#accepted;
    this.#accepted = [];
    const open = accepted.filter(({ destroyed, _handle: handle }) => !destroyed && handle);
    for (let ended = open.length; ended < accepted.length; ended++) this.#taker.notGiven(false);
    if (open.length === 0 || this.#gives(open)) return;
    for (const socket of open) {
      // One of them may have been the reason.
      if (this.#gives([socket])) continue;
      this.#taker.notGiven(true);
      socket.destroy();
    }
  }

  /** False: none of them was given. */
  #gives(sockets: readonly HandledSocket[]): boolean {
    try {
      this.#taker.give(sockets.map(({ _handle: handle }) => handle as SocketHandle));
    } catch {
      return false;
    }
    for (const socket of sockets) {
      socket._handle = null; // it is the thread's
      socket.destroy();
    }
    return true;
  }
}

/** The connection of a handle that was given to this thread, as one that it has accepted. */
export function socketOf(handle: SocketHandle): Socket {
  return new Socket({ handle, allowHalfOpen: true, noDelay: true } as SocketConstructorOpts);
}
