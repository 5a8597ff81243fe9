import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that may wait on a connection for the answer to one before them. */
const MAX_WAITING_REQUESTS = 100;

/**
 * Bounds what a connection has waiting: `node:http` reads on while an answer is due, and each request that waits holds
 * some kilobytes. Behind a stream, whose answer has no end, none may wait.
 */
export class Pipelining {
  /** Requests that wait, by connection. */
  readonly #waiting = new WeakMap<Socket, number>();

  /** Counts a request; false when it was one too many, and its connection was ended. */
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

  /** The answer that the connection carries has no end: nothing behind it will be answered. */
  hold({ socket }: IncomingMessage): void {
    this.#waiting.set(socket, MAX_WAITING_REQUESTS);
  }
}
