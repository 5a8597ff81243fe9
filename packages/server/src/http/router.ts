import type { IncomingMessage, ServerResponse } from 'node:http';
import { METHODS, type RpcMethodName } from '@msg/core';
import { isRpcPath, rpcMethodOf, TWIRP_PREFIX } from '@msg/core/internal';
import type { Clock } from '@msg/foundation/clock';
import type { ApiEndpoint } from '../api/endpoint.ts';
import type { ConsoleGateway } from '../console/gateway.ts';
import type { SpanSpec, Tracing } from '../observability/tracing/contract.ts';
import type { TwirpRoutes } from '../rpc/twirp.ts';
import type { AccessLog } from './access-log.ts';
import { sendText } from './answer.ts';
import type { BasePath } from './base-path.ts';
import type { ClientAddress } from './client-address.ts';
import { applyCors } from './cors.ts';
import { refuseOrigin } from './foreign-origin.ts';
import { HOST_REFUSALS, type Hosts } from './hosts.ts';
import type { Mount } from './mounts.ts';
import type { Origins } from './origins.ts';
import type { Pipelining } from './pipelining.ts';
import { pathOf, type RequestContext } from './request-context.ts';

/** A route with a fixed path: one handler per HTTP method. HEAD uses the handler of GET. */
export interface Route {
  readonly path: string;
  /** Browsers of allowed origins may read it. */
  readonly browser: boolean;
  readonly methods: Readonly<Record<string, (context: RequestContext) => void | Promise<void>>>;
}

export interface RouterOptions {
  readonly routes: readonly Route[];
  /** Absent: the RPC is not served. */
  readonly rpc: TwirpRoutes | undefined;
  /** Absent: the HTTP API is off. */
  readonly api?: ApiEndpoint | undefined;
  /** Absent: the console is off. */
  readonly console?: Pick<ConsoleGateway, 'owns' | 'handle'> | undefined;
  readonly base: BasePath;
  /** Endpoints of the engine, by path. */
  readonly mounts: ReadonlyMap<string, Mount>;
  readonly pipelining: Pipelining;
  readonly clientAddress: ClientAddress;
  readonly hosts: Hosts;
  readonly origins: Origins;
  readonly log: AccessLog;
  readonly clock: Clock;
  /** Absent: tracing is off. */
  readonly tracing?: Tracing | undefined;
  /** Called at the end of each request: duration in milliseconds. */
  readonly onEnd: (path: string, status: number, durationMs: number) => void;
  readonly onError: (error: unknown) => void;
}

/** Path of a request outside the base path, which no route serves. */
const ELSEWHERE = '';

/** The span of one call; unknown methods share one name, because callers choose theirs. */
function rpcSpan({ request, requestId }: RequestContext, name: RpcMethodName | undefined): SpanSpec {
  const method = name ?? 'unknown';
  return {
    name: `msg.MsgService/${method}`,
    kind: 'server',
    attributes: {
      'rpc.system': 'twirp',
      'rpc.service': 'msg.MsgService',
      'rpc.method': method,
      'http.request.method': request.method ?? '',
      'msg.request_id': requestId,
    },
  };
}

/** The span of one request of the HTTP API. */
function apiSpan({ request, requestId, path }: RequestContext, api: ApiEndpoint): SpanSpec {
  const method = api.commandOf(path) ?? 'unknown';
  return {
    name: `msg.api/${method || 'commands'}`,
    kind: 'server',
    attributes: {
      'rpc.system': 'http_api',
      'rpc.method': method,
      'http.request.method': request.method ?? '',
      'msg.request_id': requestId,
    },
  };
}

/** Routes requests: fixed paths, the RPC, else 404; 405 for another method of a known path. */
export class Router {
  readonly #options: RouterOptions;
  readonly #routes: ReadonlyMap<string, Route>;

  constructor(options: RouterOptions) {
    this.#options = options;
    this.#routes = new Map(options.routes.map(route => [route.path, route]));
  }

  /**
   * Paths outside the RPC: those of routes with their methods, and those of the engine's endpoints, which check the
   * method.
   */
  get paths(): ReadonlyMap<string, readonly string[]> {
    const paths = new Map<string, readonly string[]>();
    for (const { path, methods } of this.#routes.values()) paths.set(path, Object.keys(methods));
    for (const path of this.#options.mounts.keys()) paths.set(path, ['GET', 'POST']);
    return paths;
  }

  /** True for a served path below the base path. */
  #serves(path: string): boolean {
    const { api, console: pages, mounts, rpc } = this.#options;
    if (this.#routes.has(path) || mounts.has(path) || api?.owns(path) === true) return true;
    if (pages?.owns(path) === true) return true;
    return rpc !== undefined && path.startsWith(TWIRP_PREFIX);
  }

  /**
   * Answers, logs and counts one request; for most requests the router makes no promise. For a path that is not served it
   * calls `next`, or answers 404 without one.
   */
  handle(request: IncomingMessage, response: ServerResponse, next?: () => void): void {
    const { base, clock, log, clientAddress, pipelining } = this.#options;
    const path = base.of(request);
    if (next !== undefined && (path === undefined || !this.#serves(path))) {
      next();
      return;
    }
    if (!pipelining.admits(request, response)) return;
    const requestId = log.requestId(request);
    const context: RequestContext = {
      request,
      response,
      startedAt: clock.monotonic(),
      path: path ?? ELSEWHERE,
      clientAddress: clientAddress.of(request),
      requestId,
      headers: ['x-request-id', requestId],
      isRead: false,
      body: undefined,
      span: undefined,
      subject: undefined,
      reason: undefined,
      isRoutine: false,
      isEnded: false,
      end: () => this.#end(context),
    };
    response.on('close', context.end);
    try {
      this.#dispatch(context)?.catch((error: unknown) => this.#failed(context, error));
    } catch (error) {
      this.#failed(context, error);
    }
  }

  #end(context: RequestContext): void {
    if (context.isEnded) return;
    context.isEnded = true;
    context.body?.release();
    const { request, response, startedAt, path, clientAddress, requestId, span, subject, reason } = context;
    const { base, clock, log, onEnd } = this.#options;
    const status = response.statusCode;
    const durationMs = clock.monotonic() - startedAt;
    const traceId = span?.traceId;
    const logged = path === ELSEWHERE ? pathOf(request.url) : base.prefix + path;
    log.ended({
      request,
      path: logged,
      status,
      durationMs,
      clientAddress,
      requestId,
      traceId,
      subject,
      reason,
      isRoutine: context.isRoutine,
    });
    span?.end({ failed: status >= 500, attributes: { 'http.response.status_code': status } });
    onEnd(path, status, durationMs);
  }

  #failed(context: RequestContext, error: unknown): void {
    this.#options.onError(error);
    if (!context.response.headersSent) sendText(context, 500, 'internal error');
    else context.response.destroy();
  }

  #dispatch(context: RequestContext): void | Promise<void> {
    const { request, path } = context;
    const host = this.#options.hosts.decide(request);
    if (host !== 'allowed') return sendText(context, HOST_REFUSALS[host].status, HOST_REFUSALS[host].text);
    const { rpc } = this.#options;
    if (rpc !== undefined && isRpcPath(path)) return this.#callRpc(context, rpc);
    if (this.#options.console?.owns(path) === true) return this.#options.console.handle(context);
    const route = this.#routes.get(path);
    if (route === undefined && this.#options.api?.owns(path))
      return this.#callApi(context, this.#options.api);
    if (route === undefined) return this.#callMount(context);
    const allowed = Object.keys(route.methods).flatMap(name => (name === 'GET' ? ['GET', 'HEAD'] : [name]));
    if (route.browser && applyCors(context, this.#options.origins, allowed)) return;
    const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
    const handler = Object.hasOwn(route.methods, method) ? route.methods[method] : undefined;
    if (handler !== undefined) return handler(context);
    sendText(context, 405, 'method not allowed', { allow: allowed.join(', ') });
  }

  #callMount(context: RequestContext): void | Promise<void> {
    const mount = this.#options.mounts.get(context.path);
    if (mount === undefined) return sendText(context, 404, 'not found');
    if (this.#options.origins.decide(context.request) === 'refused') return refuseOrigin(context);
    return this.#handOver(context, mount);
  }

  async #handOver(context: RequestContext, mount: Mount): Promise<void> {
    const { request, response, headers } = context;
    await mount.handle(request, response, headers);
    if (response.headersSent && !response.writableEnded) this.#options.pipelining.hold(request);
    // The request was refused before its end: the connection lingers and the request ends.
    if (response.headersSent && request.socket.writableEnded) context.end();
  }

  #callRpc(context: RequestContext, rpc: TwirpRoutes): void {
    const { origins } = this.#options;
    const name = rpcMethodOf(context.path);
    const isPublic = name !== undefined && METHODS[name].access.rule === 'public';
    if (isPublic && applyCors(context, origins, ['POST'])) return;
    if (this.#options.tracing === undefined) rpc.handle(context, name);
    else this.#trace(this.#options.tracing, context, rpcSpan(context, name), () => rpc.handle(context, name));
  }

  /** Refuses foreign origins: no page of another site may call the API. */
  #callApi(context: RequestContext, api: ApiEndpoint): void {
    const { origins, tracing } = this.#options;
    if (origins.decide(context.request) === 'refused') refuseOrigin(context);
    else if (tracing === undefined) api.handle(context);
    else this.#trace(tracing, context, apiSpan(context, api), () => api.handle(context));
  }

  #trace(tracing: Tracing, context: RequestContext, spec: SpanSpec, work: () => void): void {
    const [traceparent, tracestate] = ['traceparent', 'tracestate'].map(header =>
      context.request.headers[header]?.toString(),
    );
    const span = tracing.begin(spec, { traceparent, tracestate });
    context.span = span;
    tracing.within(span, work);
  }
}
