import { FaultProxy, type ProxiedConnection, type ProxyTarget } from '@msg/testkit/redis';
import type { RealKernel } from './real-kernel.ts';

/** Ways of a connection, seen from who opened it. */
export type Directions = 'both' | 'there' | 'back';

/** The way of one process to one server, or to one of several: a real proxy, and what happens to its connections. */
export class Road {
  readonly #kernel: RealKernel;
  readonly #proxy: FaultProxy;
  /** Connections that are dead, and neither end is told. */
  readonly #silent = new WeakSet<ProxiedConnection>();
  /** Stalls that last: as long as there is one, nothing passes, and no connection gets through. */
  #stalls = 0;

  private constructor(kernel: RealKernel, proxy: FaultProxy) {
    this.#kernel = kernel;
    this.#proxy = proxy;
  }

  static async to(kernel: RealKernel, target: ProxyTarget | (() => ProxyTarget | undefined)): Promise<Road> {
    return new Road(kernel, await FaultProxy.start(target));
  }

  get port(): number {
    return this.#proxy.port;
  }

  /** Resets all connections. */
  cut(): void {
    for (const connection of this.#proxy.connections) connection.reset();
  }

  /** What is sent arrives later. */
  stall(forMs: number, directions: Directions = 'both'): void {
    if (directions === 'both') this.#stallBoth(forMs);
    else this.#stallOne(forMs, directions);
  }

  #stallBoth(forMs: number): void {
    this.#stalls++;
    this.#proxy.fault = 'blackhole';
    this.#kernel.after(forMs, () => {
      if (--this.#stalls === 0) this.open();
    });
  }

  #stallOne(forMs: number, directions: Directions): void {
    const stalled = [...this.#proxy.connections].map(connection => {
      const socket = directions === 'there' ? connection.client : connection.server;
      socket.pause();
      return { connection, socket };
    });
    this.#kernel.after(forMs, () => {
      if (this.#proxy.fault === 'blackhole') return;
      for (const { connection, socket } of stalled) if (!this.#silent.has(connection)) socket.resume();
    });
  }

  /** All present connections are dead, and neither end is told. */
  silence(): void {
    for (const connection of this.#proxy.connections) this.#silent.add(connection);
    this.#holdSilent();
  }

  /** Everything takes so long. */
  delay(delayMs: number): void {
    this.#set({ delayMs });
  }

  /** No connection gets through. */
  close(): void {
    this.#set('cut');
  }

  /** As it was at the beginning; what is dead stays so. */
  open(): void {
    this.#set('pass');
  }

  #set(fault: FaultProxy['fault']): void {
    this.#proxy.fault = fault;
    if (fault !== 'cut') this.#holdSilent();
  }

  #holdSilent(): void {
    for (const connection of this.#proxy.connections) if (this.#silent.has(connection)) connection.hold();
  }

  stop(): Promise<void> {
    return this.#proxy.stop();
  }
}
