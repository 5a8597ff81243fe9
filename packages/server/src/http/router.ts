import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendText } from './answer.ts';
import { type Exchange, pathOf } from './exchange.ts';

/** A route with a fixed path: one handler per HTTP method. HEAD goes where GET goes. */
export interface Route {
  readonly path: string;
  readonly methods: Readonly<Record<string, (exchange: Exchange) => void | Promise<void>>>;
}

export interface RouterOptions {
  readonly routes: readonly Route[];
  /** Answers every path under `/twirp/`. */
  readonly rpc: { handle(exchange: Exchange): Promise<void> };
  /** The caller's address. */
  readonly peerOf: (request: IncomingMessage) => string;
  readonly onError: (error: unknown) => void;
}

/** Finds the route of a request: fixed paths, the RPC, else 404; a known path with another method is 405. */
export class Router {
  readonly #routes: ReadonlyMap<string, Route>;
  readonly #rpc: RouterOptions['rpc'];
  readonly #peerOf: RouterOptions['peerOf'];
  readonly #onError: RouterOptions['onError'];

  constructor(options: RouterOptions) {
    this.#routes = new Map(options.routes.map(route => [route.path, route]));
    this.#rpc = options.rpc;
    this.#peerOf = options.peerOf;
    this.#onError = options.onError;
  }

  /** Answers one request. */
  handle(request: IncomingMessage, response: ServerResponse): void {
    const exchange: Exchange = { request, response, path: pathOf(request.url), peer: this.#peerOf(request) };
    this.#dispatch(exchange).catch((error: unknown) => {
      this.#onError(error);
      if (!response.headersSent) sendText(response, 500, 'internal error');
      else response.destroy();
    });
  }

  async #dispatch(exchange: Exchange): Promise<void> {
    const { request, response, path } = exchange;
    if (path.startsWith('/twirp/')) return this.#rpc.handle(exchange);
    const route = this.#routes.get(path);
    if (route === undefined) return sendText(response, 404, 'not found');
    const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
    const handler = Object.hasOwn(route.methods, method) ? route.methods[method] : undefined;
    if (handler !== undefined) return handler(exchange);
    const allowed = Object.keys(route.methods).flatMap(name => (name === 'GET' ? ['GET', 'HEAD'] : [name]));
    sendText(response, 405, 'method not allowed', { allow: allowed.join(', ') });
  }
}
