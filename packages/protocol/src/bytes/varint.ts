/** Unsigned LEB128 for whole numbers up to 2^53 − 1. */

const TWO_32 = 4_294_967_296;

/** Bytes of the varint of `value`. */
export function varintLength(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  if (value < 0x20_0000) return 3;
  if (value < 0x1000_0000) return 4;
  let length = 5;
  for (let limit = 0x8_0000_0000; value >= limit; limit *= 128) length++;
  return length;
}

/** Writes the varint of `value` to `to[at…]` and returns the index after it. */
export function writeVarint(value: number, to: Uint8Array, at: number): number {
  let rest = value;
  let out = at;
  while (rest >= 0x1000_0000) {
    to[out++] = (rest % 128) | 0x80;
    rest = Math.floor(rest / 128);
  }
  let small = rest | 0;
  while (small >= 0x80) {
    to[out++] = (small & 0x7f) | 0x80;
    small >>>= 7;
  }
  to[out++] = small;
  return out;
}

/** Writes the ten bytes of a negative number in two's complement and returns the index after them. */
export function writeNegative(value: number, to: Uint8Array, at: number): number {
  const high = Math.floor(value / TWO_32);
  let low = value - high * TWO_32;
  let top = high >>> 0;
  let out = at;
  for (let i = 0; i < 9; i++) {
    to[out++] = (low & 0x7f) | 0x80;
    low = ((low >>> 7) | ((top & 0x7f) << 25)) >>> 0;
    top >>>= 7;
  }
  to[out++] = 1;
  return out;
}
