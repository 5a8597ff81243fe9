import { connect, isIP, Socket } from 'node:net';
import type { Clock } from '@msg/foundation/clock';
import type { ReadOptions } from './driver.ts';

const CONNECT_MS = 10_000;

/**
 * Fails with its first byte. The driver gives up for good a connection whose socket was never there, and all queries that
 * it then has too few connections for wait until their deadline; one that is lost it opens again.
 */
class UnopenedSocket extends Socket {
  readonly #cause: Error;

  constructor(cause: unknown) {
    super();
    this.#cause = cause instanceof Error ? cause : new Error('the connection could not be opened');
  }

  override _write(_bytes: unknown, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    done(this.#cause);
  }
}

/** The sockets of a driver's connections: one that is silent can be ended, which the driver cannot do. */
export class Sockets {
  readonly #open = new Set<Socket>();
  readonly #clock: Clock;
  #next = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Makes the option `socket` of a driver with these options. */
  opener(options: ReadOptions): () => Promise<Socket> {
    return async () => {
      const opening =
        options.socket === undefined ? this.#dialAny(options) : Promise.resolve(options.socket(options));
      const socket = await opening.catch((error: unknown) => new UnopenedSocket(error));
      // The driver drops listeners of others.
      for (const other of this.#open) if (other.destroyed) this.#open.delete(other);
      this.#open.add(socket);
      return socket;
    };
  }

  /** Ends all of them at once; the driver sees lost connections. */
  destroy(): void {
    for (const socket of this.#open) socket.destroy();
  }

  /** Dials the next of several servers, and each of the others when it refuses. */
  async #dialAny(options: ReadOptions): Promise<Socket> {
    for (let refusals = 1; refusals < options.host.length; refusals++) {
      const socket = await this.#dial(options).catch(() => undefined);
      if (socket !== undefined) return socket;
    }
    return this.#dial(options);
  }

  async #dial({ host, port, path }: ReadOptions): Promise<Socket> {
    const turn = this.#next++ % host.length;
    const address = host[turn] ?? 'localhost';
    const socket = path ? connect({ path }) : connect({ host: address, port: port[turn] ?? 5432 });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const late = this.#clock.setTimeout(() => socket.destroy(new Error('connect timeout')), CONNECT_MS);
    socket.once('connect', resolve).once('error', reject);
    try {
      await promise;
    } finally {
      this.#clock.clearTimeout(late);
      socket.off('error', reject);
    }
    socket.setKeepAlive(true, 60_000).setNoDelay(true);
    // The driver takes the name for TLS from here.
    return isIP(address) === 0 ? Object.assign(socket, { host: address }) : socket;
  }
}
