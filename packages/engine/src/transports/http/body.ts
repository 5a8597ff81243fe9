import type { IncomingMessage } from 'node:http';

/**
 * Reads a request's body of at most `limit` bytes; `too_large` for a longer one, whose rest is not read. Never
 * resolves when the peer goes away before the end: nobody waits for an answer then.
 */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer | 'too_large'> {
  return new Promise(resolve => {
    const announced = Number(request.headers['content-length'] ?? 0);
    if (announced > limit) {
      resolve('too_large');
      return;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (body: Buffer | 'too_large'): void => {
      // The request may live on as long as its answer: it must not keep what was read.
      request.removeAllListeners('data').removeAllListeners('end');
      resolve(body);
    };
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) {
        chunks.push(chunk);
        return;
      }
      settle('too_large');
      request.pause();
    });
    request.once('end', () => settle(Buffer.concat(chunks)));
    request.on('error', ignore);
  });
}

function ignore(): void {}

/** The exact type that stands for Protobuf bodies (client protocol 4.2, 4.4); anything else is JSON. */
export function isProtobuf(request: IncomingMessage): boolean {
  return request.headers['content-type'] === 'application/octet-stream';
}
