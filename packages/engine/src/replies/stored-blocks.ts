/** Bytes that one stored block holds at most. */
const BLOCK_BYTES = 65_535;

/** Bytes as they are, in the form of DEFLATE blocks (RFC 1951, 3.2.4): header and content in turns. */
export function* storedBlocks(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
    const content = bytes.subarray(at, at + BLOCK_BYTES);
    const { length } = content;
    yield Uint8Array.of(0, length & 0xff, length >> 8, ~length & 0xff, (~length >> 8) & 0xff);
    yield content;
  }
}
