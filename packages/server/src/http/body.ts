import type { IncomingMessage } from 'node:http';
import { MalformedRequest } from '@msg/core';

/**
 * Reads a request body of at most `limit` bytes.
 * @throws MalformedRequest for a larger one; the rest is then not read.
 */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) {
        request.removeAllListeners('data').pause();
        reject(new MalformedRequest('request body too large'));
      } else chunks.push(chunk);
    });
    request.once('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.once('error', reject);
    request.once('close', () => {
      if (!request.complete) reject(new MalformedRequest('the request ended early'));
    });
  });
}
