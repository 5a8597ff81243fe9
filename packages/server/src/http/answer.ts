import { endUnread, isUnread } from '@msg/engine/internal';
import type { RequestContext } from './request-context.ts';

/** Headers of one answer, besides those of the exchange. */
export type AnswerHeaders = Readonly<Record<string, string>>;

/** Whether the answer begins before the end of its request: the connection then ends with it. */
function isEarly({ request, isRead }: RequestContext): boolean {
  return !isRead && isUnread(request);
}

/** Sends an answer that has no body. */
export function sendEmpty(exchange: RequestContext, status: number): void {
  const { response, headers } = exchange;
  const early = isEarly(exchange);
  if (early) headers.push('connection', 'close');
  response.writeHead(status, headers);
  if (early) endEarly(exchange);
  else response.end();
}

/** Ends the exchange; the connection lingers. */
function endEarly(exchange: RequestContext, body?: string | Uint8Array): void {
  endUnread(exchange.response, body);
  exchange.end();
}

/** Sends a whole answer. All headers are passed in one list: merging objects is slow. */
export function send(
  exchange: RequestContext,
  status: number,
  contentType: string,
  body: string | Uint8Array,
  headers?: AnswerHeaders,
): void {
  const list = exchange.headers;
  if (headers !== undefined) for (const name in headers) list.push(name, headers[name] ?? '');
  const early = isEarly(exchange);
  if (early) list.push('connection', 'close');
  const length = Buffer.byteLength(body);
  list.push('content-type', contentType, 'content-length', String(length));
  exchange.response.writeHead(status, list);
  if (early) endEarly(exchange, exchange.request.method === 'HEAD' ? '' : body);
  // ASCII text need not be encoded.
  else exchange.response.end(body, length === body.length ? 'latin1' : 'utf8');
}

/** Sends a JSON document. */
export function sendJson(
  exchange: RequestContext,
  status: number,
  document: object,
  headers?: AnswerHeaders,
): void {
  send(exchange, status, 'application/json', JSON.stringify(document), headers);
}

/** Sends a line of text. */
export function sendText(
  exchange: RequestContext,
  status: number,
  text: string,
  headers?: AnswerHeaders,
): void {
  send(exchange, status, 'text/plain; charset=utf-8', text, headers);
}
