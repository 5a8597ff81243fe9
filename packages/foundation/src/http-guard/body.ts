/** How many bytes of a body are taken. */
export interface BodyBound {
  /** Most bytes of a body that is returned. */
  readonly limit: number;
  /** Bytes after which a body that is too large is not read any more. Up to there its sender gets to the answer. */
  readonly dropLimit: number;
}

/**
 * The whole of a body; undefined for one above the limit. A body that is too large is still received up to a point: a
 * connection that is cut while the sender writes loses the answer. Rejects with the error of the body.
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
