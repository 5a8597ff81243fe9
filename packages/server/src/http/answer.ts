import type { Exchange } from './exchange.ts';

/** Headers of one answer, besides those of the exchange. */
export type AnswerHeaders = Readonly<Record<string, string>>;

/** Sends a whole answer. All headers go out in one call, as a list: merging objects is slow. */
export function send(
  exchange: Exchange,
  status: number,
  contentType: string,
  body: string,
  headers?: AnswerHeaders,
): void {
  const list = exchange.headers;
  if (headers !== undefined) for (const name in headers) list.push(name, headers[name] ?? '');
  const length = Buffer.byteLength(body);
  list.push('content-type', contentType, 'content-length', String(length));
  exchange.response.writeHead(status, list);
  // Text without anything beyond ASCII need not be encoded.
  exchange.response.end(body, length === body.length ? 'latin1' : 'utf8');
}

/** Sends a JSON document. */
export function sendJson(
  exchange: Exchange,
  status: number,
  document: object,
  headers?: AnswerHeaders,
): void {
  send(exchange, status, 'application/json', JSON.stringify(document), headers);
}

/** Sends a line of text. */
export function sendText(exchange: Exchange, status: number, text: string, headers?: AnswerHeaders): void {
  send(exchange, status, 'text/plain; charset=utf-8', text, headers);
}
