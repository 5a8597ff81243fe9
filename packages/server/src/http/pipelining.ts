import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of a connection that may wait behind an unanswered one. */
const MAX_WAITING_REQUESTS = 100;

/**
 * Limits the waiting requests of a connection: `node:http` keeps reading while an answer is due, and each waiting request
 * holds some kilobytes. No request may wait behind a stream, whose answer does not end.
 */
export class Pipelining {
  /** Requests that wait, by connection. */
  readonly #waiting = new WeakMap<Socket, number>();

  /** Counts a request; at the limit ends its connection and returns false. */
  admits({ socket }: IncomingMessage, response: ServerResponse): boolean {
    if (response.socket !== null) return true; // it is this answer's turn
    const waiting = this.#waiting.get(socket) ?? 0;
    if (waiting >= MAX_WAITING_REQUESTS) {
      socket.destroy();
      return false;
    }
    this.#waiting.set(socket, waiting + 1);
    response.once('socket', () => this.#waiting.set(socket, (this.#waiting.get(socket) ?? 1) - 1));
    return true;
  }

  /** Marks a connection with an endless answer: no request behind it is answered. */
  hold({ socket }: IncomingMessage): void {
    this.#waiting.set(socket, MAX_WAITING_REQUESTS);
  }
}
