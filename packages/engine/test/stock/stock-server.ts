import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import {
  type Client,
  EmulationEndpoint,
  HttpStreamTransport,
  type Limits,
  MemoryBroker,
  type Policy,
  type PublishOptions,
  RealtimeNode,
  SseTransport,
  TimerWheel,
  WebSocketTransport,
} from '@msg/engine';
import { systemRandom } from '@msg/foundation/clock';
import { eventually } from '@msg/testkit';
import type { Options, TransportEndpoint } from 'centrifuge';
import { expect, type TestContext } from 'vitest';
import { MemoryPresence } from '#src/presence/memory.ts';
import { openStoreOfRun, type StoreOfRun } from '../store-of-run.ts';
import { BrowserLikeEventSource, browserLikeFetch } from './browser-like-http.ts';
import { CountingBroker, CountingClock, CountingPresence } from './counting.ts';
import { StockClient } from './stock-client.ts';
import type { Stock } from './stock-clients.ts';
import { chromiumTransports, WebTransportListener } from './webtransport-listener.ts';
import { tapOf } from './wire-tap.ts';

/** Everybody may do everything. */
const OPEN_POLICY: Policy = {
  connect: () => ({ user: '' }),
  subscribe: () => ({ recovery: 'stream' }),
  publish: (_client, event, forward) => forward(event, {}),
  history: () => {},
  presence: () => {},
  presenceStats: () => {},
  rpc: (_client, { data }) => data,
  message: () => {},
  streamOptions: () => ({ size: 1000, ttlMs: 60_000 }),
};

export interface ServeOptions {
  /** Replaces hooks of a policy that allows everything. */
  readonly policy?: Partial<Policy>;
  /** Hooks that are not there. */
  readonly without?: readonly Exclude<keyof Policy, 'connect'>[];
  readonly limits?: Partial<Limits>;
  /** Reads of streams take a while, so that publications arrive during every subscribe. */
  readonly slowReads?: boolean;
}

/** Starts an engine for one test; when the test has finished, nothing of its connections may be left. */
export async function serve(
  test: TestContext,
  stock: Stock,
  options: ServeOptions = {},
): Promise<StockServer> {
  const server = await StockServer.start(stock, options);
  test.onTestFinished(() => server.stop());
  return server;
}

/**
 * The datagram that ends a QUIC connection is sent once and may be lost: the client notices by the ping that does not come,
 * within a test's time.
 */
const NOTICES_LOST_END = { pingMs: 9000 };
/** Longer than a client takes to notice that its connection was lost. */
const PRESENT_MS = 60_000;

/** The real engine behind a real HTTP server on a free port, and the stock clients of one test. */
export class StockServer {
  readonly stock: Stock;
  readonly node: RealtimeNode;
  /** What the engine reported; a test that provokes failures takes them out. */
  readonly errors: unknown[];
  readonly #clock: CountingClock;
  /** Streams outlive connections, so their timers are kept apart from those of the node. */
  readonly #streamTimers: TimerWheel;
  readonly #broker: CountingBroker;
  readonly #presence: CountingPresence;
  /** Null: on memory. */
  readonly #store: StoreOfRun | null;
  readonly #websocket: WebSocketTransport;
  readonly #routes: Readonly<Record<string, Route>>;
  readonly #http: Server;
  readonly #sockets = new Map<number, Socket>();
  readonly #webtransport = new WebTransportListener();
  readonly #clients: StockClient[] = [];
  /** Connects wait for it. */
  #entrance: Promise<void> | null = null;

  static async start(stock: Stock, options: ServeOptions): Promise<StockServer> {
    const clock = new CountingClock();
    const errors: unknown[] = [];
    const store = await openStoreOfRun(clock, error => errors.push(error));
    const server = new StockServer(stock, options, clock, errors, store);
    await server.node.start();
    await new Promise<void>(resolve => server.#http.listen(0, '127.0.0.1', resolve));
    if (stock.transport === 'webtransport') await server.#listenToChromium();
    return server;
  }

  private constructor(
    stock: Stock,
    options: ServeOptions,
    clock: CountingClock,
    errors: unknown[],
    store: StoreOfRun | null,
  ) {
    this.stock = stock;
    this.errors = errors;
    this.#clock = clock;
    this.#store = store;
    const policy: Policy = { ...OPEN_POLICY, ...options.policy };
    for (const hook of options.without ?? []) delete policy[hook];
    const { connect } = policy;
    policy.connect = client =>
      this.#entrance === null ? connect(client) : this.#entrance.then(() => connect(client));
    this.#streamTimers = new TimerWheel(clock);
    const memory = new MemoryBroker({ clock, random: systemRandom, wheel: this.#streamTimers });
    this.#broker = new CountingBroker(store?.backends.broker ?? memory);
    this.#presence = new CountingPresence(store?.backends.presence ?? new MemoryPresence());
    this.#broker.slowReads = options.slowReads ?? false;
    this.node = new RealtimeNode({
      policy,
      limits:
        stock.transport === 'webtransport'
          ? { ...NOTICES_LOST_END, ...options.limits }
          : (options.limits ?? {}),
      clock,
      ...store?.backends,
      broker: this.#broker,
      presence: this.#presence,
      onError: error => this.errors.push(error),
    });
    this.#http = createServer();
    // A connection kept for a next request may be closed while that is on its way.
    this.#http.maxRequestsPerSocket = 1;
    // The port tells connections of this machine apart, so that one of them can be cut.
    const byPort = { remoteAddress: (request: IncomingMessage) => String(request.socket.remotePort) };
    this.#websocket = new WebSocketTransport(this.node, byPort);
    this.#routes = {
      '/connection/http_stream': new HttpStreamTransport(this.node, byPort),
      '/connection/sse': new SseTransport(this.node, byPort),
      '/emulation': new EmulationEndpoint(this.node),
    };
    this.redirectTo(this);
    this.#http.on('connection', socket => {
      const port = socket.remotePort ?? 0;
      this.#sockets.set(port, socket);
      socket.on('close', () => this.#sockets.delete(port));
    });
  }

  /** A stock client, not yet connected. */
  client(options: Partial<Options> = {}, query = ''): StockClient {
    const { Client, websocket } = this.stock;
    const centrifuge = new Client(this.#endpoints(query, tapOf(options)), {
      minReconnectDelay: 10,
      maxReconnectDelay: 50,
      ...(websocket === null ? {} : { websocket }),
      ...(this.stock.transport === 'websocket' ? {} : this.#streaming),
      ...(this.stock.transport === 'webtransport' ? { maxServerPingDelay: 5000 } : {}),
      ...options,
    });
    const client = new StockClient(this.stock, centrifuge);
    this.#clients.push(client);
    return client;
  }

  /** A stock client that the server accepted. */
  async connected(options: Partial<Options> = {}, query = ''): Promise<StockClient> {
    const client = this.client(options, query);
    await client.connect();
    return client;
  }

  /** The engine's view of a connected client. */
  peer({ id }: StockClient): Client {
    for (const client of this.node.clients()) if (client.id === id) return client;
    throw new Error(`the engine does not know ${id}`);
  }

  /** Waits until the engine has the connection that the client believes in: one that was lost may not be noticed yet. */
  async present(client: StockClient): Promise<void> {
    const isThere = (): boolean => [...this.node.clients()].some(({ id }) => id === client.id);
    await eventually('the engine has the connection of the client', isThere, PRESENT_MS);
  }

  /** Tears the client's connection down without a word. */
  cut(client: StockClient): void {
    const { name, remoteAddress } = this.peer(client).transport;
    if (name === 'webtransport') this.#webtransport.cut(remoteAddress);
    else this.#sockets.get(Number(remoteAddress))?.resetAndDestroy();
  }

  /** Tears the client's connection down, and admits nobody before what happens meanwhile is over. */
  async cutWhile(client: StockClient, meanwhile: () => Promise<unknown>): Promise<void> {
    let open: () => void = () => {};
    this.#entrance = new Promise(resolve => {
      open = resolve;
    });
    this.cut(client);
    await meanwhile().finally(open);
  }

  /** While true, publications are stored but the broker's message to the node gets lost. */
  set dropDeliveries(drop: boolean) {
    this.#broker.dropDeliveries = drop;
  }

  /** From now on another server answers at this address. */
  redirectTo(successor: StockServer): void {
    this.#webtransport.redirectTo(successor.#webtransport);
    this.#http.removeAllListeners('upgrade').removeAllListeners('request');
    this.#http.on('request', (request, response) => {
      const route = successor.#routes[request.url?.split('?', 1)[0] ?? ''];
      if (route === undefined) response.writeHead(404).end();
      else void route.handle(request, response);
    });
    this.#http.on('upgrade', (request, socket, head) =>
      successor.#websocket.handleUpgrade(request, socket, head),
    );
  }

  /** Publishes a JSON value. Answers its offset. */
  async publish(channel: string, value: unknown, options: PublishOptions = {}): Promise<number> {
    const { offset } = await this.node.publish(channel, Buffer.from(JSON.stringify(value)), options);
    return offset;
  }

  /** Publishes the numbers from `first` to `last`. */
  async publishRange(channel: string, first: number, last: number): Promise<void> {
    for (let n = first; n <= last; n++) await this.publish(channel, n);
  }

  /** Where the stream of a channel stands. */
  async position(channel: string): Promise<{ offset: number; epoch: string }> {
    const { offset, epoch } = await this.node.history(channel, { limit: 0 });
    return { offset, epoch };
  }

  /** Ends everything and proves that nothing is left of the connections. */
  async stop(): Promise<void> {
    for (const { centrifuge } of this.#clients) centrifuge.disconnect();
    const left = (): Record<string, number> => {
      const { connections, subscriptions, channels, timers } = this.node.stats();
      const broker = this.#broker.subscribed.size;
      const presence = this.#presence.kept;
      const sockets = this.#sockets.size + this.#webtransport.sessions;
      return { connections, subscriptions, channels, timers, broker, presence, sockets };
    };
    const unused = new Set<Socket>();
    await eventually('nothing of the connections is left', () => {
      this.#closeUnused(unused);
      return Object.values(left()).every(count => count === 0);
    }).catch(() => expect(left()).toEqual({}));
    await this.node.shutdown();
    await this.#store?.close();
    await this.#webtransport.stop();
    this.#streamTimers.stop();
    await new Promise(resolve => this.#http.close(resolve));
    expect(this.#clock.pending).toBe(0);
    expect(this.errors).toEqual([]);
  }

  /**
   * fetch opens a connection for a request that it then does not send, and keeps it for seconds. One without a byte is
   * closed when it had none a look before either: what is on its way has arrived by then.
   */
  #closeUnused(unused: Set<Socket>): void {
    for (const socket of this.#sockets.values()) {
      if (socket.bytesRead > 0) continue;
      if (unused.has(socket)) socket.destroy();
      else unused.add(socket);
    }
  }

  async #listenToChromium(): Promise<void> {
    const transports = await chromiumTransports();
    // Where the client looks for it.
    Object.assign(globalThis, { WebTransport: transports.constructorForClients });
    await this.#webtransport.start(this.node);
  }

  #endpoints(query: string, tap: string): string | TransportEndpoint[] {
    const { transport } = this.stock;
    if (transport === 'websocket') return `ws://${this.#host}/connection/websocket${query}`;
    if (transport === 'webtransport') {
      const address = `https://127.0.0.1:${this.#webtransport.port}/connection/webtransport`;
      return [{ transport, endpoint: `${address}?${query.slice(1)}&tap=${tap}` }];
    }
    return [{ transport, endpoint: `http://${this.#host}/connection/${transport}${query}` }];
  }

  /** What the runtime of a browser gives to clients that stream over HTTP. */
  get #streaming(): Partial<Options> {
    return {
      fetch: browserLikeFetch,
      readableStream: ReadableStream,
      // the client passes options of browsers
      eventsource: class extends BrowserLikeEventSource {
        constructor(url: string) {
          super(url);
        }
      },
      emulationEndpoint: `http://${this.#host}/emulation`,
    };
  }

  get #host(): string {
    const { port } = this.#http.address() as AddressInfo; // listening on TCP
    return `127.0.0.1:${port}`;
  }
}

interface Route {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
}
