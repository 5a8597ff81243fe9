import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * What happens to bytes:
 * `pass` forwards; `delay` forwards later; `blackhole` holds everything back on open connections that look healthy,
 * new ones included; `cut` resets open connections and refuses to serve new ones.
 */
export type ProxyFault = 'pass' | 'blackhole' | 'cut' | { readonly delayMs: number };

/** Sees each piece of a connection before it goes on; `drop`: it does not. */
export type ProxyTap = (
  piece: Buffer,
  from: 'client' | 'server',
  connection: ProxiedConnection,
) => 'drop' | undefined;

/** One direction of a connection: bytes leave in the order in which they came, however their delays differ. */
class DelayedWriter {
  readonly #to: Socket;
  readonly #waiting: { readonly chunk: Buffer; readonly due: number }[] = [];

  constructor(to: Socket) {
    this.#to = to;
  }

  write(chunk: Buffer, delayMs: number): void {
    if (delayMs === 0 && this.#waiting.length === 0) this.#to.write(chunk);
    else if (this.#waiting.push({ chunk, due: performance.now() + delayMs }) === 1) this.#wait();
  }

  #wait(): void {
    const [first] = this.#waiting;
    if (first === undefined) return;
    setTimeout(
      () => {
        this.#to.write(first.chunk);
        this.#waiting.shift();
        this.#wait();
      },
      Math.max(0, first.due - performance.now()),
    );
  }
}

/** One connection through the proxy. */
export class ProxiedConnection {
  readonly client: Socket;
  readonly server: Socket;
  /** The client asked for PUB/SUB messages on this connection. */
  subscribed = false;
  /** Bytes that went through, in both directions. */
  bytes = 0;
  #silent = false;

  constructor(client: Socket, server: Socket, faultNow: () => ProxyFault, tap: ProxyTap) {
    this.client = client;
    this.server = server;
    const toServer = new DelayedWriter(server);
    const toClient = new DelayedWriter(client);
    client.on('data', (chunk: Buffer) => {
      if (!this.subscribed && /(?:^|\n)[sp]?subscribe\b/i.test(chunk.toString('latin1')))
        this.subscribed = true;
      if (tap(chunk, 'client', this) !== 'drop') this.#forward(chunk, toServer, faultNow());
    });
    server.on('data', (chunk: Buffer) => {
      if (this.#silent || tap(chunk, 'server', this) === 'drop') return;
      this.#forward(chunk, toClient, faultNow());
    });
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      socket.setNoDelay(true);
      socket.on('error', () => other.destroy());
      socket.on('close', () => other.destroy());
    }
  }

  /** From now on nothing that the server sends reaches the client, while the connection stays open. */
  silence(): void {
    this.#silent = true;
  }

  hold(): void {
    this.client.pause();
    this.server.pause();
  }

  release(): void {
    this.client.resume();
    this.server.resume();
  }

  reset(): void {
    this.client.resetAndDestroy();
    this.server.destroy();
  }

  #forward(chunk: Buffer, to: DelayedWriter, fault: ProxyFault): void {
    this.bytes += chunk.length;
    to.write(chunk, typeof fault === 'object' ? fault.delayMs : 0);
  }
}

/** Where a proxy forwards to. */
export interface ProxyTarget {
  readonly host: string;
  readonly port: number;
}

/** A TCP proxy on a free port that forwards to a server and fails on demand. */
export class FaultProxy {
  readonly connections = new Set<ProxiedConnection>();
  /** Looks at what passes. */
  tap: ProxyTap | undefined;
  readonly #server: Server;
  readonly #target: () => ProxyTarget | undefined;
  #fault: ProxyFault = 'pass';

  private constructor(target: () => ProxyTarget | undefined) {
    this.#target = target;
    this.#server = createServer(client => this.#accept(client));
  }

  /** @param target one for all connections, or asked at each one; undefined: the connection is refused */
  static async start(target: ProxyTarget | (() => ProxyTarget | undefined)): Promise<FaultProxy> {
    const proxy = new FaultProxy(typeof target === 'function' ? target : () => target);
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once('error', reject);
      proxy.#server.listen(0, '127.0.0.1', resolve);
    });
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** `host:port` */
  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  get fault(): ProxyFault {
    return this.#fault;
  }

  /** Applies to all connections, open and new, until it is changed. What a blackhole held back flows on `pass`. */
  set fault(fault: ProxyFault) {
    this.#fault = fault;
    for (const connection of this.connections) {
      if (fault === 'cut') connection.reset();
      else if (fault === 'blackhole') connection.hold();
      else connection.release();
    }
  }

  /** Makes the server mute on the open PUB/SUB connections: they stay open, and nothing arrives. */
  silenceSubscriptions(): number {
    let count = 0;
    for (const connection of this.connections) {
      if (!connection.subscribed) continue;
      connection.silence();
      count++;
    }
    return count;
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>(resolve => this.#server.close(() => resolve()));
    for (const connection of this.connections) connection.reset();
    await closed;
  }

  #accept(client: Socket): void {
    const target = this.#target();
    if (this.#fault === 'cut' || target === undefined) {
      client.on('error', () => undefined);
      client.resetAndDestroy();
      return;
    }
    const server = connect(target.port, target.host);
    const connection = new ProxiedConnection(
      client,
      server,
      () => this.#fault,
      (...seen) => this.tap?.(...seen),
    );
    this.connections.add(connection);
    client.on('close', () => this.connections.delete(connection));
    if (this.#fault === 'blackhole') connection.hold();
  }
}
