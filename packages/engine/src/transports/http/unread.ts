import type { IncomingMessage, ServerResponse } from 'node:http';
import { freeBytes } from './body-blocks.ts';
import { limitChunks } from './chunk-limit.ts';

/**
 * How long a connection stays half closed after an answer that came before the end of its request, milliseconds.
 * Closing at once resets it, and a client that is still sending may lose the answer.
 */
const LINGER_MS = 500;

/** Shorter pieces are left to the collector. */
const FREED_BYTES = 4096;

/** True while bytes of the request's body are still to come. */
export function isUnread(request: IncomingMessage): boolean {
  if (request.complete) return false;
  const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers;
  return coding !== undefined || length !== '0';
}

/**
 * Sends the last bytes of an answer whose request was not read to its end, and closes the connection. No more than two
 * pieces of 64 KiB of the rest are read, and none is kept. The head holds `Connection: close`.
 */
export function endUnread(response: ServerResponse, body: string | Uint8Array = ''): void {
  const { socket, req: request } = response;
  // No socket: an earlier answer on the connection is still under way. No TCP socket under a stream of HTTP/2.
  if (socket === null || request.httpVersionMajor !== 1) {
    response.end(body);
    return;
  }
  dropBody(request);
  limitChunks(request, () => socket.destroy());
  if (body.length === 0) response.flushHeaders();
  else response.write(body);
  // A stream reads ahead, which would resume the socket; while a read is under way it begins no other.
  request.pause().read(0);
  socket.pause();
  socket.end();
  socket.setTimeout(LINGER_MS, () => socket.destroy());
}

/** What arrives from now on is not kept: each lingering request would hold 64 KiB. */
function dropBody(request: IncomingMessage): void {
  const { push } = request;
  request.push = (piece: Buffer | null): boolean => {
    if (piece === null) return push.call(request, null);
    if (piece.length >= FREED_BYTES) freeBytes(piece);
    return true;
  };
}
