import type { Hono } from 'hono';
import type { DashError } from '../errors.ts';
import type { Override } from '../resolve/overrides.ts';
import { notFound } from '../store/contract.ts';
import type { ErrorPlace } from '../web/error-page.ts';
import { csvOf, dataText } from '../web/item-data.ts';
import { itemLines } from '../web/item-lines.ts';
import { bodyOf, jsonBodyOf, readOverrides } from './body.ts';
import { type ItemsRequest, readItemsRequest } from './items-request.ts';
import type { DocumentAtRevision } from './pages.ts';
import { coded, RequestError } from './request-error.ts';
import { asPage, type Env, idOf, json, type Request, type RouteParts, route } from './routes.ts';

const PIECE_LENGTH = 64 * 1024;

/** One served document: how it is read, and how it is told that it has changed. */
export interface DocumentSource {
  /** @param at A revision; the stored state without one. */
  read(request: Request, at: string | undefined): Promise<DocumentAtRevision>;
  /** Name of the document among those that are watched. */
  key(request: Request): string;
  /** Name of its present content; undefined when it does not exist. */
  fingerprint(request: Request): Promise<string | undefined>;
  /** What helps on from a page that cannot be shown. */
  around?(request: Request, error: DashError): Promise<ErrorPlace>;
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
    GET: asPage(async request => {
      try {
        const opened = await source.read(request, request.req.query('at'));
        return await pages.dashboard(opened, apiOf(request), parametersOf(request));
      } catch (failure) {
        const { error, status } = coded(failure);
        if (status >= 500) throw failure;
        return { ...pages.error(error, await source.around?.(request, error)), status };
      }
    }),
  });
  route(app, `${paths.api}/tree`, {
    GET: async request =>
      json(request, engine.resolve((await source.read(request, atOf(request))).document, queryOf(request))),
  });
  route(app, `${paths.api}/resolve`, {
    POST: async request => {
      const overrides = readOverrides(await bodyOf(request.req.raw));
      const { document } = await source.read(request, atOf(request));
      return json(request, engine.resolve(document, { overrides }));
    },
  });
  addItemRoutes(app, paths.api, parts, source, apiOf);
  route(app, `${paths.api}/events`, {
    GET: async request => {
      if ((await source.fingerprint(request)) === undefined) throw notFound(source.key(request));
      const headers = { 'content-type': 'text/event-stream' };
      return request.body(
        pages.events(
          source.key(request),
          () => source.fingerprint(request),
          async () => (await source.read(request, undefined)).document,
        ),
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
      const asked = await askedBy(request);
      const opened = await source.read(request, atOf(request));
      const dashboard = await pages.open(
        opened.document,
        apiOf(request),
        parametersOf(request),
        asked,
        'none',
      );
      const headers = { 'content-type': 'application/x-ndjson' };
      const lines = linesOf(itemLines(dashboard, asked.only, pages.headOf(opened)));
      return request.body(bytesOf(lines), 200, headers);
    },
  });
  route(app, `${api}/data`, {
    POST: async request => {
      const asked = await askedBy(request);
      const opened = await source.read(request, atOf(request));
      const dashboard = await pages.open(
        opened.document,
        apiOf(request),
        parametersOf(request),
        asked,
        'none',
      );
      return request.body(bytesOf(gathered(dataText(dashboard))), 200, {
        'content-type': 'application/json',
      });
    },
  });
  route(app, `${api}/items/:name`, {
    GET: async request => {
      const [, nodeId] = /^(.+)\.csv$/.exec(request.req.param('name') ?? '') ?? [];
      if (nodeId === undefined) throw new RequestError(404, 'The path does not exist.');
      const { document } = await source.read(request, atOf(request));
      const asked = { only: new Set([nodeId]), leaving: request.req.raw.signal };
      const dashboard = await pages.open(document, apiOf(request), parametersOf(request), asked, 'none');
      const headers = { 'content-type': 'text/csv; charset=utf-8', 'content-disposition': 'attachment' };
      return request.body(bytesOf(gathered(await csvOf(dashboard, nodeId))), 200, headers);
    },
  });
}

/** What the body asks for; who hangs up no longer waits for it. */
async function askedBy(request: Request): Promise<ItemsRequest> {
  const { raw } = request.req;
  return { ...readItemsRequest(await jsonBodyOf(raw)), leaving: raw.signal };
}

/** Query parameters as overrides, repeated ones in their order; unknown parameters are ignored. */
function queryOf(request: Request): { overrides: Override[]; ignoreUnknownVariables: true } {
  const overrides = [...parametersOf(request)].map(([address, text]) => ({ address, text }));
  return { overrides, ignoreUnknownVariables: true };
}

/** The revision that a page at a revision asks for; `at` itself may be a variable of the document. */
const atOf = (request: Request): string | undefined => request.req.query('$at');

const parametersOf = (request: Request): URLSearchParams => new URL(request.req.url).searchParams;

/** A line of JSON for each item. */
async function* linesOf(items: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const item of items) yield `${JSON.stringify(item)}\n`;
}

/** Larger pieces of a text that is of use only as a whole: each piece costs turns of the event loop and a write. */
async function* gathered(pieces: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  let text = '';
  for await (const piece of pieces) {
    text += piece;
    if (text.length < PIECE_LENGTH) continue;
    yield text;
    text = '';
  }
  yield text;
}

/** A text as it is read: when the reader goes away, no further piece is made. */
function bytesOf(pieces: AsyncIterable<string>): ReadableStream<Uint8Array> {
  return ReadableStream.from(encoded(pieces));
}

async function* encoded(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const piece of pieces) yield encoder.encode(piece);
}
