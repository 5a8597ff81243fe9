import type { Clock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import { Hono } from 'hono';
import type { DataSourceKind } from '../data/source.ts';
import type { QuerySettings } from '../data/sources.ts';
import { display } from '../document/display.ts';
import type { JsonObject } from '../document/json.ts';
import { DashError } from '../errors.ts';
import { ProposalList } from '../proposals/proposal-list.ts';
import type { DocumentEngine } from '../reads/document-engine.ts';
import { listDashboards } from '../reads/list.ts';
import type { ChartPainter } from '../render/drawing.ts';
import type { DocumentStore } from '../store/contract.ts';
import { type UserHeader, userFrom } from './attribution.ts';
import { addChangeRoutes, type ChangeParts } from './change-routes.ts';
import { addDocumentRoutes } from './document-routes.ts';
import { fileSource, storeSource } from './document-sources.ts';
import { type Binding, requestHost, requireOwnOrigin, requireOwnSite } from './origin.ts';
import { addPageRoutes } from './page-routes.ts';
import { Pages } from './pages.ts';
import { addProposalRoutes } from './proposal-routes.ts';
import { coded, RequestError } from './request-error.ts';
import { addReviewRoutes } from './review-routes.ts';
import { type Env, idOf, json, type Request, type RouteParts, refuse, route } from './routes.ts';

/** Answers load and run nothing; pages of other origins can neither read nor frame them. Pages bring a policy of their own. */
const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Of assets whose address carries the hash of their content. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** The documents of a server: a writable store, or one read-only file. */
export type ServedDocuments =
  | { readonly store: DocumentStore; readonly id?: string }
  | {
      readonly read: () => Promise<JsonObject>;
      /** Calls back when the file may have changed, until the answered function is called. */
      readonly watch?: (onChange: () => void) => () => void;
    };

export interface AppOptions {
  readonly served: ServedDocuments;
  readonly engine: DocumentEngine;
  readonly binding: Binding;
  /** Connection types whose queries are run; the built-in ones when absent. */
  readonly kinds?: readonly DataSourceKind[];
  /** What may be asked, and with what; nothing when absent. */
  readonly queries?: QuerySettings;
  readonly painter: ChartPainter;
  /** Time of queries, drawings and live connections; the system's by default. */
  readonly clock?: Clock;
  /** Aborts when the server stops: live connections end then. */
  readonly stopping?: AbortSignal;
  /** Where a proxy names the user of a commit. */
  readonly userHeader?: UserHeader;
  /** Called for every answer of status 500 and above with the error and the request's method and path. */
  onFailure?(error: DashError, request: string): void;
}

/**
 * All routes (dashboard details 15.1). Checks run in the order host and origin, path, method, size and syntax of the
 * body, pipeline.
 */
export function createApp(options: AppOptions): Hono<Env> {
  const { served, engine, binding } = options;
  const app = new Hono<Env>();
  const pages = new Pages(
    defined({
      engine,
      kinds: options.kinds,
      queries: options.queries,
      painter: options.painter,
      stopping: options.stopping,
      clock: options.clock,
      watch: 'store' in served ? (onChange: () => void) => served.store.watch(onChange) : served.watch,
    }),
  );
  app.use(async (request, next) => {
    const { method } = request.req;
    for (const [name, value] of Object.entries(HEADERS)) request.header(name, value);
    const { url = '', headersDistinct } = request.env.incoming;
    const host = requestHost(url, headersDistinct['host'] ?? []);
    requireOwnOrigin(binding, method, host, request.req.header('origin'));
    requireOwnSite(method, request.req.header('sec-fetch-site'));
    await next();
  });
  app.onError((failure, request) => {
    const { error, status } = coded(failure);
    if (status >= 500) options.onFailure?.(error, `${request.req.method} ${display(request.req.path)}`);
    return refuse(request, pages, error, status);
  });
  app.notFound(() => {
    throw new RequestError(404, 'The path does not exist.');
  });
  route(app, '/healthz', { GET: request => request.json({ status: 'ok' }) });
  route(app, '/static/:name', {
    GET: request => {
      const asset = pages.assets.find(request.req.param('name') ?? '');
      if (asset === undefined) throw new RequestError(404, 'The asset does not exist.');
      const caching = asset.immutable ? { 'cache-control': IMMUTABLE } : {};
      return request.body(asset.bytes, 200, { 'content-type': asset.type, ...caching });
    },
  });
  if ('store' in served) {
    const backend = { store: served.store, proposals: new ProposalList(options.clock) };
    addBackendRoutes(app, backend, served.id, options.userHeader, { engine, pages });
  } else addPathRoutes(app, served.read, { engine, pages });
  return app;
}

/** One file, read-only. */
function addPathRoutes(app: Hono<Env>, read: () => Promise<JsonObject>, parts: RouteParts): void {
  addDocumentRoutes(app, { page: '/', api: '/api' }, parts, fileSource(read));
  app.all('/api/patch', () => {
    throw new DashError(
      'SERVE_READ_ONLY',
      'Writing on a served file is not allowed: serve a store to commit.',
      {},
    );
  });
}

/** The documents of a store, of which `main`, when there is one, is also served at the top. */
function addBackendRoutes(
  app: Hono<Env>,
  { store, proposals }: Pick<ChangeParts, 'store' | 'proposals'>,
  main: string | undefined,
  userHeader: UserHeader | undefined,
  parts: RouteParts,
) {
  const userOf = (request: Request): string | undefined => {
    const { socket, headersDistinct } = request.env.incoming;
    return userFrom(userHeader, socket.remoteAddress, headersDistinct);
  };
  const changeParts = { ...parts, store, proposals, userOf };
  addChangeRoutes(app, changeParts);
  addProposalRoutes(app, changeParts);
  addPageRoutes(app, changeParts, main === undefined);
  addReviewRoutes(app, changeParts);
  route(app, '/api/dashboards', { GET: async request => json(request, await listDashboards(store)) });
  route(app, '/api/d/:id/history', {
    GET: async request => json(request, { revisions: await store.history(idOf(request)) }),
  });
  const source = { store, proposals, engine: parts.engine };
  addDocumentRoutes(app, { page: '/d/:id', api: '/api/d/:id' }, parts, storeSource(source, idOf));
  if (main === undefined) return;
  const top = storeSource(source, () => main);
  addDocumentRoutes(app, { page: '/', api: '/api' }, parts, top);
}
