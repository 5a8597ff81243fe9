import type { HttpBindings } from '@hono/node-server';
import { defined } from '@msg/foundation/json';
import { type Context, Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { commitChangeset, dryRunChangeset } from '../changeset/pipeline.ts';
import type { DataSourceKind } from '../data/contract.ts';
import { display } from '../document/display.ts';
import type { JsonObject } from '../document/json.ts';
import { readableText } from '../document/readable.ts';
import { DashError } from '../errors.ts';
import type { DocumentEngine } from '../reads/document-engine.ts';
import { listDashboards } from '../reads/list.ts';
import type { ChartPainter } from '../render/drawing.ts';
import type { Override } from '../resolve/overrides.ts';
import type { DocumentStore } from '../store/contract.ts';
import { readStored, requireMatchingId } from '../store/stored-document.ts';
import { bodyOf, readCommitRequest, readOverrides } from './body.ts';
import { type Binding, requestHost, requireOwnOrigin } from './origin.ts';
import { type DocumentAtRevision, Pages, type SentPage } from './pages.ts';
import { coded, RequestError } from './request-error.ts';

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
  | { readonly read: () => Promise<JsonObject> };

export interface AppOptions {
  readonly served: ServedDocuments;
  readonly engine: DocumentEngine;
  readonly binding: Binding;
  /** Connection types whose queries are run; the built-in ones when absent. */
  readonly kinds?: readonly DataSourceKind[];
  readonly painter: ChartPainter;
  /** Called for every answer of status 500 and above with the error and the request's method and path. */
  onFailure?(error: DashError, request: string): void;
}

interface Env {
  Bindings: HttpBindings;
  Variables: { page: boolean };
}
type Request = Context<Env>;
/** What every route of documents is made with. */
interface RouteParts {
  readonly engine: DocumentEngine;
  readonly pages: Pages;
}
type Handler = (request: Request) => Response | Promise<Response>;

/**
 * All routes (dashboard details 15.1). Checks run in the order host and origin, path, method, size and syntax of the
 * body, pipeline.
 */
export function createApp(options: AppOptions): Hono<Env> {
  const { served, engine, binding } = options;
  const app = new Hono<Env>();
  const pages = new Pages(defined({ engine, kinds: options.kinds, painter: options.painter }));
  app.use(async (request, next) => {
    const { method } = request.req;
    for (const [name, value] of Object.entries(HEADERS)) request.header(name, value);
    const { url = '', headersDistinct } = request.env.incoming;
    const host = requestHost(url, headersDistinct['host'] ?? []);
    requireOwnOrigin(binding, method, host, request.req.header('origin'));
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
  if ('store' in served) addBackendRoutes(app, served.store, served.id, { engine, pages });
  else addPathRoutes(app, served.read, { engine, pages });
  return app;
}

/** One file, read-only. */
function addPathRoutes(app: Hono<Env>, read: () => Promise<JsonObject>, parts: RouteParts): void {
  addDocumentRoutes(app, { page: '/', api: '/api' }, parts, async () => ({ document: await read() }));
  app.all('/api/patch', () => {
    throw new DashError(
      'SERVE_READ_ONLY',
      'Writing on a served file is not allowed: serve a store to commit.',
      {},
    );
  });
}

/** The documents of a store, of which `main`, when there is one, is also served at the top. */
function addBackendRoutes(app: Hono<Env>, store: DocumentStore, main: string | undefined, parts: RouteParts) {
  const context = { store, ...parts.engine };
  route(app, '/api/patch', {
    POST: async request => json(request, await commitChangeset(context, await commitRequestOf(request))),
  });
  route(app, '/api/validate', {
    POST: async request => {
      const tried = await dryRunChangeset(context, await commitRequestOf(request));
      return json(request, { ok: true, ...tried });
    },
  });
  route(app, '/api/dashboards', { GET: async request => json(request, await listDashboards(store)) });
  route(app, '/api/d/:id/history', {
    GET: async request => json(request, { revisions: await store.history(idOf(request)) }),
  });
  const load = (id: string): Promise<DocumentAtRevision> => storedDocument(store, id);
  addDocumentRoutes(app, { page: '/d/:id', api: '/api/d/:id' }, parts, request => load(idOf(request)));
  if (main !== undefined) addDocumentRoutes(app, { page: '/', api: '/api' }, parts, () => load(main));
  else
    route(app, '/', { GET: asPage(async () => parts.pages.list((await listDashboards(store)).dashboards)) });
}

/** Page, tree and resolution of one document. */
function addDocumentRoutes(
  app: Hono<Env>,
  paths: { readonly page: string; readonly api: string },
  { engine, pages }: RouteParts,
  read: (request: Request) => Promise<DocumentAtRevision>,
): void {
  const apiOf = (request: Request): string => paths.api.replace(':id', encodeURIComponent(idOf(request)));
  route(app, paths.page, {
    GET: asPage(async request =>
      pages.dashboard(await read(request), apiOf(request), new URL(request.req.url).searchParams),
    ),
  });
  route(app, `${paths.api}/tree`, {
    GET: async request => json(request, engine.resolve((await read(request)).document, queryOf(request))),
  });
  route(app, `${paths.api}/resolve`, {
    POST: async request => {
      const overrides = readOverrides(await bodyOf(request.req.raw));
      const { document } = await read(request);
      return json(request, engine.resolve(document, { overrides }));
    },
  });
}

/** A path with its methods; every other method is refused with `Allow`. */
function route(app: Hono<Env>, path: string, { GET, POST }: { GET?: Handler; POST?: Handler }): void {
  if (GET !== undefined) app.get(path, GET);
  if (POST !== undefined) app.post(path, POST);
  const allow = [...(GET === undefined ? [] : ['GET', 'HEAD']), ...(POST === undefined ? [] : ['POST'])];
  app.all(path, () => {
    throw new RequestError(405, `The method must be one of ${allow.join(', ')}.`, allow.join(', '));
  });
}

/** A handler that answers with pages for people, also for failures. */
function asPage(render: (request: Request) => Promise<SentPage>): Handler {
  return async request => {
    request.set('page', true);
    return sendPage(request, await render(request), 200);
  };
}

function sendPage(
  request: Request,
  { markup, policy }: SentPage,
  status: number,
): Response | Promise<Response> {
  request.header('content-security-policy', policy.header);
  return request.html(markup, status as ContentfulStatusCode);
}

function refuse(
  request: Request,
  pages: Pages,
  error: DashError,
  status: number,
): Response | Promise<Response> {
  if (error instanceof RequestError && error.allow !== undefined) request.header('allow', error.allow);
  if (status === 503) request.header('retry-after', '1');
  if (isUnread(request.env.incoming)) request.header('connection', 'close');
  if (request.get('page') === true) return sendPage(request, pages.error(error), status);
  return json(request, error.toEnvelope(), status);
}

/** True for a request with an incomplete body, which is not read after a refusal. */
function isUnread({ complete, headers }: HttpBindings['incoming']): boolean {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  return hasBody && !complete;
}

function json(request: Request, value: object, status = 200): Response {
  const type = { 'content-type': 'application/json' };
  return request.body(readableText(value), status as ContentfulStatusCode, type);
}

async function commitRequestOf(request: Request) {
  return readCommitRequest(await bodyOf(request.req.raw));
}

function idOf(request: Request): string {
  return request.req.param('id') ?? '';
}

/** Query parameters as overrides, repeated ones in their order; unknown parameters are ignored. */
function queryOf(request: Request): { overrides: Override[]; ignoreUnknownVariables: true } {
  const parameters = [...new URL(request.req.url).searchParams];
  const overrides = parameters.map(([address, text]) => ({ address, text }));
  return { overrides, ignoreUnknownVariables: true };
}

async function storedDocument(store: DocumentStore, id: string): Promise<DocumentAtRevision> {
  const { bytes, revision } = await store.load(id);
  const stored = readStored(id, bytes);
  requireMatchingId(id, stored);
  return defined({ document: stored.document, revision });
}
