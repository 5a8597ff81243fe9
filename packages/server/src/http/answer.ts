import { endUnread, isUnread } from '@msg/engine/internal';
import type { RequestContext } from './request-context.ts';

/** Headers of one answer, besides those of the request. */
export type AnswerHeaders = Readonly<Record<string, string>>;

/** Whether the answer begins before the end of its request: the connection then ends with it. */
function isEarly({ request, isRead }: RequestContext): boolean {
  return !isRead && isUnread(request);
}

/** Sends an answer that has no body. */
export function sendEmpty(context: RequestContext, status: number): void {
  const { response, headers } = context;
  const early = isEarly(context);
  if (early) headers.push('connection', 'close');
  response.writeHead(status, headers);
  if (early) endEarly(context);
  else response.end();
}

/** Ends the request; the connection lingers. */
function endEarly(context: RequestContext, body?: string | Uint8Array): void {
  endUnread(context.response, body);
  context.end();
}

/** Sends a whole answer. All headers are passed in one list: merging objects is slow. */
export function send(
  context: RequestContext,
  status: number,
  contentType: string,
  body: string | Uint8Array,
  headers?: AnswerHeaders,
): void {
  const list = context.headers;
  if (headers !== undefined) for (const name in headers) list.push(name, headers[name] ?? '');
  const early = isEarly(context);
  if (early) list.push('connection', 'close');
  const length = Buffer.byteLength(body);
  list.push('content-type', contentType, 'content-length', String(length));
  context.response.writeHead(status, list);
  if (early) endEarly(context, context.request.method === 'HEAD' ? '' : body);
  // ASCII text need not be encoded.
  else context.response.end(body, length === body.length ? 'latin1' : 'utf8');
}

/** Sends a JSON document. */
export function sendJson(
  context: RequestContext,
  status: number,
  document: object,
  headers?: AnswerHeaders,
): void {
  send(context, status, 'application/json', JSON.stringify(document), headers);
}

/** Sends a line of text. */
export function sendText(
  context: RequestContext,
  status: number,
  text: string,
  headers?: AnswerHeaders,
): void {
  send(context, status, 'text/plain; charset=utf-8', text, headers);
}
