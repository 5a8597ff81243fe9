import type { OutgoingHttpHeaders } from 'node:http';
import type { Exchange } from './exchange.ts';

/** Sends a whole answer. All headers go out in one call: merging them with earlier ones is slow. */
export function send(
  exchange: Exchange,
  status: number,
  contentType: string,
  body: string,
  headers: OutgoingHttpHeaders = {},
): void {
  exchange.response.writeHead(status, {
    ...exchange.headers,
    ...headers,
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
  });
  exchange.response.end(body);
}

/** Sends a JSON document. */
export function sendJson(
  exchange: Exchange,
  status: number,
  document: object,
  headers?: OutgoingHttpHeaders,
): void {
  send(exchange, status, 'application/json', JSON.stringify(document), headers);
}

/** Sends a line of text. */
export function sendText(
  exchange: Exchange,
  status: number,
  text: string,
  headers?: OutgoingHttpHeaders,
): void {
  send(exchange, status, 'text/plain; charset=utf-8', text, headers);
}
