/** Numbers of the delta format: base 64, most significant digit first, no padding (client protocol, appendix B). */

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~';
const BYTE_OF = Uint8Array.from(DIGITS, digit => digit.charCodeAt(0));
const NOT_A_DIGIT = 64;
const VALUE_OF = new Uint8Array(256).fill(NOT_A_DIGIT);
for (let value = 0; value < 64; value++) VALUE_OF[BYTE_OF[value]!] = value;

/** How many digits a number from 0 to 2^32 − 1 takes. */
export function digitCount(value: number): number {
  let count = 1;
  for (let rest = value >>> 6; rest > 0; rest >>>= 6) count++;
  return count;
}

/** Writes a number from 0 to 2^32 − 1 to `to[at…]` and returns the index after it. */
export function writeDigits(value: number, to: Uint8Array, at: number): number {
  const end = at + digitCount(value);
  let rest = value;
  for (let i = end - 1; i >= at; i--) {
    to[i] = BYTE_OF[rest & 63]!;
    rest >>>= 6;
  }
  return end;
}

/** Value of a digit, or 64 for any other byte. */
export function digitValue(byte: number): number {
  return VALUE_OF[byte]!;
}
