import type { IncomingMessage, ServerResponse } from 'node:http';
import { METHODS } from '@msg/core';
import type { Clock } from '@msg/engine';
import { isRpcPath, methodOf, type TwirpRoutes } from '../rpc/twirp.ts';
import type { AccessLog } from './access-log.ts';
import { sendText } from './answer.ts';
import { applyCors } from './cors.ts';
import { type Exchange, pathOf } from './exchange.ts';
import type { Origins } from './origins.ts';
import type { PeerAddress } from './peer.ts';

/** A route with a fixed path: one handler per HTTP method. HEAD goes where GET goes. */
export interface Route {
  readonly path: string;
  /** Browsers of allowed origins may read it. */
  readonly browser: boolean;
  readonly methods: Readonly<Record<string, (exchange: Exchange) => void | Promise<void>>>;
}

export interface RouterOptions {
  readonly routes: readonly Route[];
  readonly rpc: TwirpRoutes;
  readonly peer: PeerAddress;
  readonly origins: Origins;
  readonly log: AccessLog;
  readonly clock: Clock;
  /** Called at the end of each request: duration in milliseconds. */
  readonly onEnd: (path: string, status: number, durationMs: number) => void;
  readonly onError: (error: unknown) => void;
}

/** Finds the route of a request: fixed paths, the RPC, else 404; a known path with another method is 405. */
export class Router {
  readonly #options: RouterOptions;
  readonly #routes: ReadonlyMap<string, Route>;

  constructor(options: RouterOptions) {
    this.#options = options;
    this.#routes = new Map(options.routes.map(route => [route.path, route]));
  }

  /** Answers one request and accounts for it. */
  handle(request: IncomingMessage, response: ServerResponse): void {
    const { clock, log, peer, onEnd, onError } = this.#options;
    const startedAt = clock.now();
    const requestId = log.requestId(request);
    const exchange: Exchange = {
      request,
      response,
      path: pathOf(request.url),
      peer: peer.of(request),
      requestId,
      headers: { 'x-request-id': requestId },
      subject: undefined,
    };
    response.once('close', () => {
      const status = response.statusCode;
      log.ended({ ...exchange, status, startedAt });
      onEnd(exchange.path, status, clock.now() - startedAt);
    });
    this.#dispatch(exchange).catch((error: unknown) => {
      onError(error);
      if (!response.headersSent) sendText(exchange, 500, 'internal error');
      else response.destroy();
    });
  }

  async #dispatch(exchange: Exchange): Promise<void> {
    const { request, path } = exchange;
    if (isRpcPath(path)) return this.#callRpc(exchange);
    const route = this.#routes.get(path);
    if (route === undefined) return sendText(exchange, 404, 'not found');
    const allowed = Object.keys(route.methods).flatMap(name => (name === 'GET' ? ['GET', 'HEAD'] : [name]));
    if (route.browser && applyCors(exchange, this.#options.origins, allowed)) return;
    const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
    const handler = Object.hasOwn(route.methods, method) ? route.methods[method] : undefined;
    if (handler !== undefined) return handler(exchange);
    sendText(exchange, 405, 'method not allowed', { allow: allowed.join(', ') });
  }

  async #callRpc(exchange: Exchange): Promise<void> {
    const { origins, rpc } = this.#options;
    const name = methodOf(exchange.path);
    const isPublic = name !== undefined && METHODS[name].access.rule === 'public';
    if (isPublic && applyCors(exchange, origins, ['POST'])) return;
    await rpc.handle(exchange);
  }
}
