import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { readableText } from '../document/readable.ts';
import type { DashError } from '../errors.ts';
import type { DocumentEngine } from '../reads/document-engine.ts';
import type { Pages, SentPage } from './pages.ts';
import { RequestError } from './request-error.ts';

export interface Env {
  Bindings: HttpBindings;
  Variables: { page: boolean };
}
export type Request = Context<Env>;
export type Handler = (request: Request) => Response | Promise<Response>;

/** What every route of documents is made with. */
export interface RouteParts {
  readonly engine: DocumentEngine;
  readonly pages: Pages;
}

/** A path with its methods; every other method is refused with `Allow`. */
export function route(app: Hono<Env>, path: string, { GET, POST }: { GET?: Handler; POST?: Handler }): void {
  if (GET !== undefined) app.get(path, GET);
  if (POST !== undefined) app.post(path, POST);
  const allow = [...(GET === undefined ? [] : ['GET', 'HEAD']), ...(POST === undefined ? [] : ['POST'])];
  app.all(path, () => {
    throw new RequestError(405, `The method must be one of ${allow.join(', ')}.`, allow.join(', '));
  });
}

/** A handler that answers with pages for people, also for failures. */
export function asPage(render: (request: Request) => Promise<SentPage>): Handler {
  return async request => {
    request.set('page', true);
    const page = await render(request);
    return sendPage(request, page, page.status ?? 200);
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

export function refuse(
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

export function json(request: Request, value: object, status = 200): Response {
  const type = { 'content-type': 'application/json' };
  return request.body(readableText(value), status as ContentfulStatusCode, type);
}

export function idOf(request: Request): string {
  return request.req.param('id') ?? '';
}
