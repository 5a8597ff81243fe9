import type { IncomingMessage } from 'node:http';
import { MalformedRequest } from '@msg/core';

/**
 * Reads a request body of at most `limit` bytes and calls `done` with it; for a larger one `refused`, and the rest
 * is then not read. When the caller goes away before the end, nothing is called: nobody waits for an answer.
 */
export function readBody(
  request: IncomingMessage,
  limit: number,
  done: (body: Buffer) => void,
  refused: (error: MalformedRequest) => void,
): void {
  // A body of announced length is known to be complete with its last byte. The header, if any, is of digits alone.
  const announced = Number(request.headers['content-length'] ?? 0);
  const chunks: Buffer[] = [];
  let size = 0;
  const finish = (): void => done(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > limit) {
      request.removeAllListeners('data').removeAllListeners('end').pause();
      refused(new MalformedRequest('request body too large'));
      return;
    }
    chunks.push(chunk);
    if (size === announced) finish();
  });
  if (announced === 0) request.on('end', finish);
}
