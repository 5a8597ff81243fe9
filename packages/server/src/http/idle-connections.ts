import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '@msg/foundation/clock';

/** How long a connection may be idle between two requests, milliseconds, as answers announce it. */
const KEEP_ALIVE_MS = 5000;
/** How often the idle connections are looked at. */
const LOOK_MS = 250;

/** A connection, and how long it may be idle. */
interface Watched {
  readonly socket: Socket;
  /** Monotonic time; 0: it may be idle for as long as it wants. */
  due: number;
  /** Bytes that had arrived at the last look. */
  read: number;
  isListed: boolean;
}

/**
 * Closes the idle connections of a server, except those on which a request has arrived meanwhile. After a long turn of
 * the event loop `node:http` resets these: its timers run before it reads, and the client's request fails with
 * ECONNRESET.
 *
 * `node:http` sets a timer of the connection after each answer and takes it back at the next request, which costs a
 * fiftieth of a small call. Here the two are a number that one timer of all connections looks at.
 */
export function closeIdleConnections(server: Server, clock: Clock): void {
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  const idle = new IdleConnections(clock);
  server.on('connection', socket => idle.watch(socket));
  // With a listener, node:http leaves the closing to it.
  server.on('timeout', socket => {
    const { bytesRead } = socket;
    clock.afterTurn(() => {
      if (socket.bytesRead === bytesRead) socket.destroy();
    });
  });
}

class IdleConnections {
  readonly #clock: Clock;
  /** All connections with a time, and some that had one at the last look. */
  readonly #listed = new Set<Watched>();
  /** The time of the last look. */
  #now = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** From now on `setTimeout` of a connection sets a time that {@link #look} keeps. */
  watch(socket: Socket): void {
    const watched: Watched = { socket, due: 0, read: 0, isListed: false };
    const { setTimeout: setOwnTimer } = socket;
    socket.setTimeout = (ms, callback) => {
      // Short times, and those with a listener of their own, are exact.
      if (callback !== undefined || (ms > 0 && ms <= 2 * LOOK_MS)) {
        watched.due = 0;
        return setOwnTimer.call(socket, ms, callback);
      }
      if (socket.timeout) setOwnTimer.call(socket, 0);
      if (ms === 0) watched.due = 0;
      else this.#arm(watched, ms);
      return socket;
    };
  }

  #arm(watched: Watched, ms: number): void {
    if (!watched.isListed) {
      if (this.#listed.size === 0) this.#drive();
      this.#listed.add(watched);
      watched.isListed = true;
    }
    // The last look may be a whole period ago, and the one that finds the time over as much too late.
    watched.due = this.#now + ms - LOOK_MS;
  }

  #drive(): void {
    this.#now = this.#clock.monotonic();
    this.#clock.setTimeout(() => this.#check(), LOOK_MS);
  }

  #check(): void {
    const now = this.#clock.monotonic();
    for (const watched of this.#listed) {
      const { socket, due, read } = watched;
      if (due === 0 || socket.destroyed) {
        this.#listed.delete(watched);
        watched.isListed = false;
        continue;
      }
      watched.read = socket.bytesRead;
      if (now < due) continue;
      // Part of a request has arrived.
      if (watched.read > read) watched.due = now + LOOK_MS;
      else {
        watched.due = 0;
        socket.emit('timeout');
      }
    }
    if (this.#listed.size > 0) this.#drive();
  }
}
