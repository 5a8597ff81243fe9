import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { type Clock, systemClock } from '@msg/foundation/clock';
import { display } from '../document/display.ts';
import { Charts } from '../render/chart/charts.ts';
import { errnoOf } from '../store/contract.ts';
import { type AppOptions, createApp } from './app.ts';
import { invocationError, RequestError } from './request-error.ts';

/** How long a stop waits for running requests (dashboard details 15). */
const STOP_PATIENCE_MS = 5000;

/** Time limit for a whole request, body included; beyond: 408 and the end of the connection. */
const REQUEST_MS = 15_000;
/** Longest interval between checks of that limit. */
const LONGEST_CHECK_MS = 1_000;

export interface ListenOptions extends Omit<AppOptions, 'binding' | 'painter' | 'stopping'> {
  /** Name or address to bind to. */
  readonly host: string;
  /** Port; 0 takes a free one. */
  readonly port: number;
  readonly allowHosts?: readonly string[];
  /** Time limit for a whole request, body included; 15 seconds by default. */
  readonly requestMs?: number;
  /** What draws charts, closed with the server; by default one with a thread of its own. */
  readonly charts?: Charts;
}

/** The HTTP server: listens from the start until it is stopped. */
export class HttpServer {
  readonly #server: Server;
  readonly #host: string;
  readonly #running = new Set<ServerResponse>();
  readonly #clock: Clock;
  readonly #charts: Charts;
  readonly #ending: AbortController;
  #stopping = false;

  constructor(server: Server, host: string, clock: Clock, charts: Charts, stopping: AbortController) {
    this.#server = server;
    this.#host = host;
    this.#clock = clock;
    this.#charts = charts;
    this.#ending = stopping;
  }

  /** @throws DashError SERVE_INVALID when the address cannot be bound. */
  static async listen(options: ListenOptions): Promise<HttpServer> {
    const { host, port, allowHosts = [], requestMs = REQUEST_MS, clock = systemClock } = options;
    const server = createServer({
      requestTimeout: requestMs,
      headersTimeout: requestMs,
      connectionsCheckingInterval: Math.min(requestMs, LONGEST_CHECK_MS),
    });
    await bind(server, host, port);
    const { address } = server.address() as AddressInfo;
    const { charts = new Charts(clock) } = options;
    void charts.warmUp();
    const stopping = new AbortController();
    const app = createApp({
      ...options,
      painter: charts,
      binding: { address, host, allowHosts },
      stopping: stopping.signal,
    });
    const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false, errorHandler: malformed });
    const http = new HttpServer(server, host, clock, charts, stopping);
    server.on('request', (incoming, outgoing) =>
      onTurn(outgoing, () => {
        http.#track(outgoing);
        void answer(incoming, outgoing);
      }),
    );
    return http;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get address(): string {
    return (this.#server.address() as AddressInfo).address;
  }

  /** Address for a browser. */
  get url(): string {
    return `http://${this.#host.includes(':') ? `[${this.#host}]` : this.#host}:${this.port}`;
  }

  /** Accepts no more connections, lets running requests finish for up to five seconds, and closes the rest. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#ending.abort();
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const outgoing of this.#running) outgoing.shouldKeepAlive = false;
    const timer = this.#clock.setTimeout(() => this.#server.closeAllConnections(), STOP_PATIENCE_MS);
    await closed;
    await this.#charts.close();
    this.#clock.clearTimeout(timer);
  }

  #track(outgoing: ServerResponse): void {
    if (this.#stopping) outgoing.shouldKeepAlive = false;
    this.#running.add(outgoing);
    outgoing.on('close', () => this.#running.delete(outgoing));
  }
}

/**
 * Begins with an answer when the ones before it on its connection are written. What a client asks for at once is so made
 * one after the other, and nothing more is made for a client that has left.
 */
function onTurn(outgoing: ServerResponse, begin: () => void): void {
  if (outgoing.socket === null) outgoing.once('socket', begin);
  else begin();
}

async function bind(server: Server, host: string, port: number): Promise<void> {
  try {
    server.listen({ host, port });
    await once(server, 'listening');
  } catch (error) {
    throw invocationError(
      `Address ${display(host)} port ${port} is not usable (${errnoOf(error) ?? 'failure'}); choose another with --host and --port.`,
    );
  }
}

/** The answer to a request without a valid URL. */
function malformed(): Response {
  const { code, message, details } = new RequestError(400, 'The request must be HTTP with a legal URL.');
  return Response.json({ code, message, details }, { status: 400 });
}
