import { createServer, type Server, type Socket } from 'node:net';
import type { ListenAddress } from '../config/listen-address.ts';

/** Connections that wait for the first thread. */
const MOST_WAITING = 1024;

/** Gives a connection to a thread; false: no thread takes it. */
export type HandOver = (socket: Socket) => boolean;

/** Main's listener: it accepts connections, reads nothing, and hands them over. */
export class Acceptor {
  readonly server: Server;
  readonly #handOver: HandOver;
  #waiting: Socket[] | null = [];

  constructor(handOver: HandOver) {
    this.#handOver = handOver;
    this.server = createServer({ pauseOnConnect: true, allowHalfOpen: true, noDelay: true }, socket =>
      this.#accepted(socket),
    );
  }

  /** Threads serve: those that came before get one. */
  open(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const socket of waiting) this.#place(socket);
  }

  /** Accepts no more connections; those that wait are closed. */
  close(): void {
    for (const socket of this.#waiting ?? []) socket.destroy();
    this.#waiting = null;
    this.server.close();
  }

  #accepted(socket: Socket): void {
    // A peer that resets it before it is handed over.
    socket.on('error', () => socket.destroy());
    if (this.#waiting === null) this.#place(socket);
    else if (this.#waiting.length < MOST_WAITING) this.#waiting.push(socket);
    else socket.destroy();
  }

  #place(socket: Socket): void {
    // Clients that are refused come back after their pause.
    if (socket.destroyed || !this.#handOver(socket)) socket.destroy();
  }
}

/** An address for `listen`; an empty host is every interface. */
export function listenOptions({ host, port }: ListenAddress): {
  readonly port: number;
  readonly host?: string;
} {
  return host === '' ? { port } : { port, host };
}
