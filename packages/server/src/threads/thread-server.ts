import type { RequestListener, Server } from 'node:http';
import { createServer, type Server as Listener, type Socket } from 'node:net';
import type { Clock } from '@msg/foundation/clock';
import type { ListenAddress } from '../config/listen-address.ts';
import { createOwnServer } from '../http/own-server.ts';
import { listenOptions } from './acceptor.ts';
import type { ThreadRow } from './thread-table.ts';

/** How long a connection whose peer has ended its side may wait for an answer. */
const ANSWER_MS = 15_000;

/**
 * The HTTP server of a thread, which never listens itself: its connections come from main, or from a listener on a port that
 * all threads share. They behave as those of one thread (threads 1.2).
 */
export class ThreadServer {
  readonly server: Server;
  readonly #clock: Clock;
  readonly #sockets = new Set<Socket>();
  readonly #listeners: Listener[] = [];
  #whenEmpty: (() => void) | undefined;

  constructor(handle: RequestListener, { clock, row }: { readonly clock: Clock; readonly row: ThreadRow }) {
    this.#clock = clock;
    this.server = createOwnServer(handle, clock);
    answerHalfOpen(this.server, clock);
    // A server that never listened has no timer for slow requests without this event.
    this.server.emit('listening');
    this.server.on('connection', socket => {
      row.opened();
      this.#sockets.add(socket);
      socket.once('close', () => {
        row.closed();
        this.#sockets.delete(socket);
        if (this.#sockets.size === 0) this.#whenEmpty?.();
      });
    });
  }

  /** Accepts connections itself, on a port that other threads share. */
  async share(address: ListenAddress): Promise<void> {
    const listener = createServer({ allowHalfOpen: true, noDelay: true }, socket => this.take(socket));
    await new Promise<void>((resolve, reject) => {
      listener.once('error', reject);
      listener.listen({ ...listenOptions(address), reusePort: true }, resolve);
    });
    this.#listeners.push(listener);
  }

  /** Serves a connection that was accepted elsewhere. */
  take(socket: Socket): void {
    this.server.emit('connection', socket);
  }

  /** Takes no more connections, and waits for the open ones for at most the budget, milliseconds. */
  async close(budgetMs: number): Promise<void> {
    for (const listener of this.#listeners) listener.close();
    this.server.closeIdleConnections();
    if (this.#sockets.size > 0) {
      await new Promise<void>(resolve => {
        const cut = (): void => {
          for (const socket of this.#sockets) socket.destroy();
        };
        const timer = this.#clock.setTimeout(cut, budgetMs, true);
        this.#whenEmpty = () => {
          this.#clock.clearTimeout(timer);
          resolve();
        };
      });
    }
    this.server.close(() => {}); // ends the timer for slow requests
  }
}

/** A server that Node.js can tell to answer peers which have ended their side. It has no public name for it. */
interface HalfOpenServer extends Server {
  httpAllowHalfOpen?: boolean;
}

/**
 * A peer that ends its side after the request gets its answer, which threads give in a later turn; `node:http` drops that.
 * An answer that has begun ends there, as in one thread: its reader has gone.
 */
function answerHalfOpen(server: HalfOpenServer, clock: Clock): void {
  server.httpAllowHalfOpen = true;
  server.on('connection', (socket: Socket) => {
    socket.once('end', () => {
      const { _httpMessage: answer } = socket as { _httpMessage?: { headersSent: boolean } | null };
      if (answer?.headersSent === true) socket.end();
      else if (answer) clock.setTimeout(() => socket.destroy(), ANSWER_MS);
    });
  });
}
