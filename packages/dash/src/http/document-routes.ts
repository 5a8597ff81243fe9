import type { Hono } from 'hono';
import type { Override } from '../resolve/overrides.ts';
import { notFound } from '../store/contract.ts';
import { csvOf, dataAnswers } from '../web/item-data.ts';
import { itemLines } from '../web/item-lines.ts';
import { bodyOf, jsonBodyOf, readOverrides } from './body.ts';
import { readItemsRequest } from './items-request.ts';
import type { DocumentAtRevision } from './pages.ts';
import { RequestError } from './request-error.ts';
import { asPage, type Env, idOf, json, type Request, type RouteParts, route } from './routes.ts';

/** One served document: how it is read, and how it is told that it has changed. */
export interface DocumentSource {
  read(request: Request): Promise<DocumentAtRevision>;
  /** Name of the document among those that are watched. */
  key(request: Request): string;
  /** Name of its present content; undefined when it does not exist. */
  fingerprint(request: Request): Promise<string | undefined>;
}

/** Where the routes of a document are. */
interface DocumentPaths {
  readonly page: string;
  readonly api: string;
}

/** Page, tree and resolution of one document, and what its page asks for. */
export function addDocumentRoutes(
  app: Hono<Env>,
  paths: DocumentPaths,
  parts: RouteParts,
  source: DocumentSource,
): void {
  const { engine, pages } = parts;
  const apiOf = (request: Request): string => paths.api.replace(':id', encodeURIComponent(idOf(request)));
  route(app, paths.page, {
    GET: asPage(async request =>
      pages.dashboard(await source.read(request), apiOf(request), parametersOf(request)),
    ),
  });
  route(app, `${paths.api}/tree`, {
    GET: async request =>
      json(request, engine.resolve((await source.read(request)).document, queryOf(request))),
  });
  route(app, `${paths.api}/resolve`, {
    POST: async request => {
      const overrides = readOverrides(await bodyOf(request.req.raw));
      const { document } = await source.read(request);
      return json(request, engine.resolve(document, { overrides }));
    },
  });
  addItemRoutes(app, paths.api, parts, source, apiOf);
  route(app, `${paths.api}/events`, {
    GET: async request => {
      if ((await source.fingerprint(request)) === undefined) throw notFound(source.key(request));
      const headers = { 'content-type': 'text/event-stream' };
      return request.body(
        pages.events(source.key(request), () => source.fingerprint(request)),
        200,
        headers,
      );
    },
  });
}

/** Fragments of the page, and the rows of its items (page and review 2). */
function addItemRoutes(
  app: Hono<Env>,
  api: string,
  { pages }: RouteParts,
  source: DocumentSource,
  apiOf: (request: Request) => string,
): void {
  route(app, `${api}/items`, {
    POST: async request => {
      const asked = readItemsRequest(await jsonBodyOf(request.req.raw));
      const opened = await source.read(request);
      const dashboard = await pages.open(
        opened.document,
        apiOf(request),
        parametersOf(request),
        asked,
        'none',
      );
      const headers = { 'content-type': 'application/x-ndjson' };
      return request.body(linesOf(itemLines(dashboard, asked.only, opened.revision)), 200, headers);
    },
  });
  route(app, `${api}/data`, {
    POST: async request => {
      const asked = readItemsRequest(await jsonBodyOf(request.req.raw));
      const opened = await source.read(request);
      const dashboard = await pages.open(
        opened.document,
        apiOf(request),
        parametersOf(request),
        asked,
        'none',
      );
      return json(request, { items: await dataAnswers(dashboard) });
    },
  });
  route(app, `${api}/items/:name`, {
    GET: async request => {
      const [, nodeId] = /^(.+)\.csv$/.exec(request.req.param('name') ?? '') ?? [];
      if (nodeId === undefined) throw new RequestError(404, 'The path does not exist.');
      const { document } = await source.read(request);
      const only = new Set([nodeId]);
      const dashboard = await pages.open(document, apiOf(request), parametersOf(request), { only }, 'none');
      const headers = { 'content-type': 'text/csv; charset=utf-8', 'content-disposition': 'attachment' };
      return request.body(await csvOf(dashboard, nodeId), 200, headers);
    },
  });
}

/** Query parameters as overrides, repeated ones in their order; unknown parameters are ignored. */
function queryOf(request: Request): { overrides: Override[]; ignoreUnknownVariables: true } {
  const overrides = [...parametersOf(request)].map(([address, text]) => ({ address, text }));
  return { overrides, ignoreUnknownVariables: true };
}

const parametersOf = (request: Request): URLSearchParams => new URL(request.req.url).searchParams;

/** A line of JSON for each item; when the reader goes away, no further one is made. */
function linesOf(items: AsyncGenerator<object>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await items.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(`${JSON.stringify(value)}\n`));
    },
    cancel: () => void items.return(undefined),
  });
}
