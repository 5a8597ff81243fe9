import type { IncomingMessage } from 'node:http';

/** Chunks of a body that may have any size. */
const FREE_CHUNKS = 256;
/** What the chunks of a longer body must hold on average, bytes. */
const CHUNK_BYTES = 256;

/**
 * Bounds the chunks of a request in the chunked transfer coding, from now on: each costs a buffer and calls, whatever it
 * holds, and one read of the socket may bring ten thousand. `exceeded` is called once; no further chunk is kept.
 */
export function limitChunks(request: IncomingMessage, exceeded: () => void): void {
  if (request.headers['transfer-encoding'] === undefined) return;
  const { push } = request;
  let chunks = 0;
  let bytes = 0;
  let isOver = false;
  // The parser pushes while it parses, which it cannot be kept from; listeners hear of a chunk after all of a read.
  request.push = (chunk: Buffer | null, encoding?: BufferEncoding): boolean => {
    if (chunk === null) return push.call(request, chunk, encoding);
    if (isOver) return false;
    bytes += chunk.length;
    if (++chunks <= FREE_CHUNKS || bytes >= chunks * CHUNK_BYTES) {
      return push.call(request, chunk, encoding);
    }
    isOver = true;
    exceeded();
    return false;
  };
}
