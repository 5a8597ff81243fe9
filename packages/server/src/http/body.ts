import type { IncomingMessage } from 'node:http';
import { MalformedRequest } from '@msg/core';

/** A length above 0, without leading zeros. */
const PLAIN_LENGTH = /^[1-9]\d*$/;

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
  const announced = request.headers['content-length'] ?? '';
  // A body of announced length is known to be complete with its last byte.
  const isPlain = PLAIN_LENGTH.test(announced);
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
    if (isPlain && String(size) === announced) finish();
  });
  if (!isPlain) request.on('end', finish);
}
