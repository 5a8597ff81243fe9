import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type NodeOptions,
  type Policy,
  RealtimeNode,
  type WebSocketOptions,
  WebSocketTransport,
} from '@msg/engine';
import { ManualClock } from '@msg/foundation/clock/testing';
import { eventually, RawClient, type RawClientOptions } from '@msg/testkit';
import { openStoreOfRun, type StoreOfRun } from './store-of-run.ts';

/** Everybody may do everything; streams as by default. */
export const OPEN_POLICY: Policy = {
  connect: () => ({ user: '' }),
  subscribe: () => ({ recovery: 'stream' }),
  publish: (_client, event, forward) => forward(event, {}),
  history: () => {},
  streamOptions: () => ({ size: 100, ttlMs: 300_000 }),
};

/** A node behind a real HTTP server on a free port, driven by a clock of its own. */
export class Harness {
  readonly node: RealtimeNode;
  readonly clock: ManualClock;
  /** What the node reported as failed. */
  readonly errors: readonly unknown[];
  readonly #server: Server;
  readonly #store: StoreOfRun | null;
  readonly #clients: RawClient[] = [];

  private constructor(
    node: RealtimeNode,
    clock: ManualClock,
    server: Server,
    errors: readonly unknown[],
    store: StoreOfRun | null,
  ) {
    this.errors = errors;
    this.#store = store;
    this.node = node;
    this.clock = clock;
    this.#server = server;
  }

  static async start({
    websocket = {},
    ...options
  }: Partial<NodeOptions> & { readonly websocket?: WebSocketOptions } = {}): Promise<Harness> {
    const clock = new ManualClock();
    const errors: unknown[] = [];
    const store = await openStoreOfRun(clock, error => errors.push(error));
    const node = new RealtimeNode({
      ...store?.backends,
      policy: OPEN_POLICY,
      version: '1.2.3',
      clock,
      onError: error => errors.push(error),
      ...options,
    });
    await node.start();
    const transport = new WebSocketTransport(node, websocket);
    const server = createServer((request, response) => void transport.handle(request, response));
    server.on('upgrade', (request, socket, head) => transport.handleUpgrade(request, socket, head));
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    return new Harness(node, clock, server, errors, store);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `ws://127.0.0.1:${this.port}/connection/websocket`;
  }

  /** A socket without a connect command. */
  async open(options: RawClientOptions & { readonly query?: string } = {}): Promise<RawClient> {
    const client = await RawClient.open(this.url + (options.query ?? ''), options);
    this.#clients.push(client);
    return client;
  }

  async connected(options: RawClientOptions = {}): Promise<RawClient> {
    const client = await this.open(options);
    await client.request({ connect: {} });
    return client;
  }

  /** Publishes UTF-8 text, JSON in most tests. */
  async publish(channel: string, text: string): Promise<void> {
    await this.node.publish(channel, Buffer.from(text));
  }

  /** Ends everything and proves that nothing is left of the connections. */
  async stop(): Promise<void> {
    for (const client of this.#clients) client.websocket.terminate();
    await eventually('all connections are freed', () => {
      const { connections, subscriptions, channels, waitingSubscribes } = this.node.stats();
      return connections + subscriptions + channels + waitingSubscribes === 0;
    });
    await this.node.shutdown();
    await this.#store?.close();
    // A socket that waits for the peer's close frame belongs to no connection any more.
    await eventually('no timer is left', () => this.clock.pending === 0);
    await new Promise(resolve => this.#server.close(resolve));
  }
}
