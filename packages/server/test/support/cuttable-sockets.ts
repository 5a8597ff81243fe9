import { WebSocket } from 'ws';

type Sockets = Set<WebSocket>;

function trackedBy(sockets: Sockets) {
  return class extends WebSocket {
    constructor(address: string | URL, protocols?: string | string[]) {
      super(address, protocols);
      sockets.add(this);
      this.on('close', () => sockets.delete(this));
    }
  };
}

/** Gives the stock client sockets that a test can cut without a closing handshake. */
export class CuttableSockets {
  readonly #sockets: Sockets = new Set();
  /** Pass as the stock client's `websocket` option. */
  readonly websocket = trackedBy(this.#sockets);

  /** Drops every TCP connection. */
  cut(): void {
    for (const socket of this.#sockets) socket.terminate();
  }
}
