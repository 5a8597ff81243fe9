/** Limits of a request body. */
export interface BodyBound {
  /** Maximum size of an accepted body, bytes. */
  readonly limit: number;
  /** Bytes up to which a body that is too large is read, so that its sender gets the answer. */
  readonly dropLimit: number;
}

/**
 * Reads a whole body; undefined above the limit. A body that is too large is still read up to `dropLimit`, because a
 * connection that is reset while the sender writes loses the answer. Rejects with the error of the body.
 */
export async function readBody(
  chunks: AsyncIterable<Uint8Array>,
  { limit, dropLimit }: BodyBound,
): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.byteLength;
    if (size <= limit) parts.push(chunk);
    else if (size > dropLimit) break;
  }
  return size <= limit ? joined(parts, size) : undefined;
}

function joined(parts: readonly Uint8Array[], size: number): Uint8Array {
  const body = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    body.set(part, at);
    at += part.byteLength;
  }
  return body;
}
