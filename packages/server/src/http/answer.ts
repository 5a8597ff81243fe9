import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** Sends a whole answer. */
export function send(
  response: ServerResponse,
  status: number,
  contentType: string,
  body: string,
  headers: OutgoingHttpHeaders = {},
): void {
  response.writeHead(status, {
    ...headers,
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

/** Sends a JSON document. */
export function sendJson(
  response: ServerResponse,
  status: number,
  document: object,
  headers?: OutgoingHttpHeaders,
): void {
  send(response, status, 'application/json', JSON.stringify(document), headers);
}

/** Sends a line of text. */
export function sendText(
  response: ServerResponse,
  status: number,
  text: string,
  headers?: OutgoingHttpHeaders,
): void {
  send(response, status, 'text/plain; charset=utf-8', text, headers);
}
