import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Envelope, ManifestPayload } from '@msg/core';
import { type TransportListener, webtransport as webtransportRow } from '@msg/engine';
import { apiEndpoint } from '../api/compose.ts';
import type { ApiEndpoint } from '../api/endpoint.ts';
import type { OperatorLogin } from '../auth/access/oidc/code-login.ts';
import type { IdentityTokenVerifier } from '../auth/tokens/verifier.ts';
import type { ConsoleSettings } from '../console/options.ts';
import type { RpcHandlers } from '../rpc/call.ts';
import type { Service } from '../service/compose.ts';
import { AccessLog, type RecordedRequests } from './access-log.ts';
import { sendJson } from './answer.ts';
import { BasePath } from './base-path.ts';
import { ClientAddress } from './client-address.ts';
import { ClientScript } from './client-script.ts';
import { consoleGateway } from './console-gateway.ts';
import { DebugStream } from './debug-stream.ts';
import { ErrorResponder } from './error-responder.ts';
import { type Health, healthRoutes } from './health.ts';
import { Hosts } from './hosts.ts';
import { jwksRoute } from './jwks-route.ts';
import { METRICS_PATH, metricsRoute, type RenderedMetrics } from './metrics-route.ts';
import { type Mount, streamMounts } from './mounts.ts';
import { openApiRoute } from './openapi/route.ts';
import type { RouteOptions, WebTransportOptions } from './options.ts';
import { Origins } from './origins.ts';
import { Pipelining } from './pipelining.ts';
import { type Route, Router } from './router.ts';
import { rpcRoutes } from './rpc-routes.ts';
import { schemaRoutes } from './schemas-route.ts';
import { Upgrades } from './upgrades.ts';
import { listenForWebTransport, type SessionCounts } from './webtransport.ts';

export interface HttpEndpointsOptions {
  readonly noAuth: boolean;
  /** Every RPC method refuses unknown members. */
  readonly strictRequests: boolean;
  /** Verifies bearers that the service did not sign. */
  readonly oidc?: IdentityTokenVerifier | undefined;
  readonly allowedOrigins: readonly string[];
  /** Accepted `Host` names; absent: any name. */
  readonly allowedHosts: readonly string[] | undefined;
  readonly trustedProxies: readonly string[];
  /** Bearer of `/metrics`; empty: open. */
  readonly metricsToken: string;
  /** Absent: no WebTransport. */
  readonly webtransport?: WebTransportOptions | undefined;
  /** Counts sessions of WebTransport; absent: they are not counted. */
  readonly sessionCounts?: SessionCounts | undefined;
  /** Ports of listeners that another thread has; absent: there are only those of these endpoints. */
  readonly listenersElsewhere?: (() => ReadonlyMap<string, number>) | undefined;
  /** Selects the requests that are logged. */
  readonly recorded: RecordedRequests;
  /** Serves the OpenAPI document. */
  readonly openApi: boolean;
  /** Serves the browser wrapper. */
  readonly clientScript: boolean;
  /** Absent: the console is not served. */
  readonly console?: ConsoleSettings | undefined;
  /** Signs operators in at the identity provider. */
  readonly consoleLogin?: OperatorLogin | undefined;
  /** A label of the deployment; empty: none. */
  readonly region: string;
  /** Path prefix of all routes; empty: the root. */
  readonly basePath: string;
  readonly routes: RouteOptions;
  readonly manifest: () => Envelope<ManifestPayload>;
  readonly health: Health;
  /** The metrics of a process with several threads; absent: those of the service. */
  readonly metrics?: RenderedMetrics | undefined;
  /** Methods of the RPC that another thread carries out. */
  readonly elsewhere?: Partial<RpcHandlers> | undefined;
}

/** The HTTP surface of one service: routes, RPC, upgrades (messaging details, section 11). */
export class HttpEndpoints {
  readonly #router: Router;
  /** The `Host` names that requests may use. */
  readonly hosts: Hosts;
  readonly base: BasePath;
  /** The descriptor of the service. */
  readonly manifest: () => Envelope<ManifestPayload>;
  /** Handles upgrades. */
  readonly upgrades: Upgrades;
  readonly #openListener: () => Promise<TransportListener | null>;
  readonly #clientScript: ClientScript | undefined;
  #listener: TransportListener | null = null;
  readonly #listenersElsewhere: HttpEndpointsOptions['listenersElsewhere'];

  /** @throws MsgError MSG_INVALID_ARGUMENT for a bad origin or address range. */
  constructor(service: Service, options: HttpEndpointsOptions) {
    const { clock, logger, metrics, node, random, tracing, onError } = service;
    const origins = new Origins(options.allowedOrigins);
    if (origins.allowsAny) logger.warn({}, 'server.allowed_origins holds *: every web site may connect');
    const hosts = new Hosts(options.allowedHosts);
    this.hosts = hosts;
    const base = new BasePath(options.basePath);
    this.base = base;
    this.manifest = options.manifest;
    const clientAddress = new ClientAddress(options.trustedProxies);
    const log = new AccessLog(logger, random, options.recorded);
    const responder = new ErrorResponder({
      onAuthFailure: (label, requestId) => log.authFailure(label, requestId),
      onError,
    });
    const { manifest, webtransport } = options;
    const listed = webtransport?.allowedOrigins ?? [];
    const { prefix } = base;
    const counts = options.sessionCounts;
    const allowed = listed.length > 0 ? new Origins(listed) : origins;
    const parts = { node, origins: allowed, log, clock, prefix, counts };
    this.#listenersElsewhere = options.listenersElsewhere;
    this.#openListener = async () =>
      webtransport === undefined ? null : listenForWebTransport(parts, webtransport);
    this.upgrades = new Upgrades({ node, base, clientAddress, hosts, origins, log, clock });
    const { routes } = options;
    this.#clientScript =
      options.clientScript && routes.clientScript !== false ? ClientScript.find(service.version) : undefined;
    const pipelining = new Pipelining();
    this.#router = new Router({
      routes: switchedOn(routes, {
        health: healthRoutes(options.health),
        manifest: [manifestRoute(manifest)],
        jwks: [jwksRoute(() => service.keyring.keySet)],
        metrics: [metricsRoute(options.metrics ?? metrics, options.metricsToken)],
        debugStream: [new DebugStream(service, responder, pipelining).route],
        schemas: schemaRoutes(service.schemas),
        openApi: options.openApi
          ? [openApiRoute({ version: service.version, prefix, api: enabledApi(service) })]
          : [],
        clientScript: this.#clientScript?.routes ?? [],
      }),
      rpc: routes.rpc === false ? undefined : rpcRoutes(service, options, responder),
      api: apiOf(service, options, log),
      console:
        options.console &&
        consoleGateway(
          service,
          { ...options, console: options.console, basePath: prefix },
          { clientAddress, responder },
        ),
      base,
      mounts: new Map<string, Mount>([
        ...streamMounts(node, clientAddress, origins),
        ...this.upgrades.mounts,
      ]),
      pipelining,
      clientAddress,
      hosts,
      origins,
      log,
      clock,
      tracing,
      onEnd: (path, status, durationMs) => metrics.requested(path, status, durationMs / 1000),
      onError,
    });
  }

  /** Opens the transports' own listeners. @throws MsgError MSG_INVALID_ARGUMENT */
  async open(): Promise<void> {
    this.#listener = await this.#openListener();
  }

  async close(): Promise<void> {
    await this.#listener?.close();
    this.#listener = null;
  }

  /** Paths outside the RPC, with their methods. */
  get paths(): ReadonlyMap<string, readonly string[]> {
    return this.#router.paths;
  }

  /** Path of the metrics; `undefined` when they are not served. */
  get metricsPath(): string | undefined {
    return this.#router.paths.has(METRICS_PATH) ? this.base.prefix + METRICS_PATH : undefined;
  }

  /** The manifest's facts about the browser wrapper; `undefined` when it is not served. */
  get clientScript(): ManifestPayload['client_script'] {
    const facts = this.#clientScript?.facts;
    return facts && { ...facts, path: this.base.prefix + facts.path };
  }

  /** Ports of the transports with a listener while it is open, by the name of the transport. */
  get listeners(): ReadonlyMap<string, number> {
    const elsewhere = this.#listenersElsewhere?.();
    if (elsewhere !== undefined) return elsewhere;
    return new Map(this.#listener === null ? [] : [[webtransportRow.name, this.#listener.port]]);
  }

  /** Answers a request, or calls `next` for a path that is not served. */
  handle(request: IncomingMessage, response: ServerResponse, next?: () => void): void {
    this.#router.handle(request, response, next);
  }
}

/** The settings of the HTTP API; undefined while it is off. */
function enabledApi({ apiSettings }: Service): Service['apiSettings'] | undefined {
  return apiSettings.enabled ? apiSettings : undefined;
}

/** The HTTP API, where it is on. @throws MsgError MSG_INVALID_ARGUMENT */
function apiOf(service: Service, { noAuth }: HttpEndpointsOptions, log: AccessLog): ApiEndpoint | undefined {
  const { apiSettings: settings, api: runner, apiKeys, access, node, clock, onError } = service;
  if (!settings.enabled) return undefined;
  const onAuthFailure = log.authFailure.bind(log);
  return apiEndpoint({
    settings,
    runner,
    apiKeys,
    access,
    bodies: node.bodies,
    clock,
    noAuth,
    onAuthFailure,
    onError,
  });
}

function manifestRoute(manifest: () => Envelope<ManifestPayload>): Route {
  return {
    path: '/manifest',
    browser: true,
    methods: { GET: context => sendJson(context, 200, manifest()) },
  };
}

/** The routes of the groups that are not switched off. */
function switchedOn(
  options: RouteOptions,
  groups: Readonly<Record<Exclude<keyof RouteOptions, 'rpc'>, readonly Route[]>>,
): readonly Route[] {
  const entries = Object.entries(groups) as [keyof typeof groups, readonly Route[]][]; // its own keys
  return entries.flatMap(([name, routes]) => (options[name] === false ? [] : routes));
}
