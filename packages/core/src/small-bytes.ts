/** Memory for several small results, because an allocation costs more than filling one. */
const BLOCK_BYTES = 2048;
/** Longer results get their own memory, because a retained result retains its block. */
export const LARGEST_PART = 512;
let block = new ArrayBuffer(0);
let used = 0;

/** Zeroed bytes for a result; short ones are a part of a larger buffer. */
export function allocate(length: number): Uint8Array {
  if (length > LARGEST_PART) return new Uint8Array(length);
  if (used + length > block.byteLength) {
    block = new ArrayBuffer(BLOCK_BYTES);
    used = 0;
  }
  const bytes = new Uint8Array(block, used, length);
  used += length;
  return bytes;
}
