import type { IncomingMessage } from 'node:http';
import { pipeline, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { DashError } from '../../errors.ts';

/** Bytes of an answer, after decompression. */
const MOST_BODY_BYTES = 8 * 1024 * 1024;

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * The body of an answer, decompressed; it is read no further than 8 MiB, whatever was sent or announced.
 * @param inspect sees each part as it comes, and may refuse the rest.
 * @throws DashError QUERY_TOO_LARGE, QUERY_RESPONSE_INVALID for an encoding that was not asked for.
 */
export async function boundedBody(
  response: IncomingMessage,
  inspect: (chunk: Buffer) => void,
): Promise<Buffer> {
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const decoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding]?.() : undefined;
  if (decoder === undefined && encoding !== 'identity' && encoding !== '') {
    response.destroy();
    throw responseInvalid('its content encoding was not asked for');
  }
  const stream = decoder === undefined ? response : pipeline(response, decoder, ignore);
  const chunks: Buffer[] = [];
  let bytes = 0;
  let sent = 0;
  response.on('data', (chunk: Buffer) => {
    sent += chunk.length;
    if (sent > MOST_BODY_BYTES) stream.destroy(tooLarge());
  });
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MOST_BODY_BYTES) throw tooLarge();
      inspect(chunk);
      chunks.push(chunk);
    }
  } catch (error) {
    if (isZlibError(error)) throw responseInvalid('its compressed body is damaged');
    throw error;
  } finally {
    response.destroy();
  }
  return Buffer.concat(chunks, bytes);
}

function ignore(): void {}

const isZlibError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^Z_|^ERR__ERROR|BROTLI/.test(String(error.code));

function tooLarge(): DashError {
  const most = MOST_BODY_BYTES / 1024 / 1024;
  const message = `The answer must be at most ${most} MiB; ask for less: a shorter span, fewer series or rows.`;
  return new DashError('QUERY_TOO_LARGE', message, { bytes: MOST_BODY_BYTES });
}

/** The error of an answer that cannot be read. */
export function responseInvalid(reason: string, path?: string): DashError {
  const message = `The answer cannot be read: ${reason}.`;
  return new DashError('QUERY_RESPONSE_INVALID', message, { reason, path });
}
