import type { IncomingMessage, ServerResponse } from 'node:http';

/** Answers of the requests that wait for `100 Continue`. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/**
 * Leaves `100 Continue` to the reader of the body: a request that is refused before never gets it. To be called on the
 * server's `checkContinue` event, before the request is handled; without a listener `node:http` says it at once.
 */
export function delayContinue(request: IncomingMessage, response: ServerResponse): void {
  waiting.set(request, response);
}

/** The body is wanted: tells a client that waits for this. */
export function sendContinue(request: IncomingMessage): void {
  if (request.headers.expect === undefined) return;
  waiting.get(request)?.writeContinue();
  waiting.delete(request);
}
