import { utf8Text } from '../../bytes/text.ts';
import { utf8Bytes } from '../../bytes/utf8.ts';
import { BACKSLASH, PLAIN, QUOTE } from './characters.ts';

const HEX = '0123456789abcdef';

/** Short escapes by byte; every other control character is written as `\u00XX`. */
const SHORT_ESCAPE = new Uint8Array(128);
for (const [byte, letter] of [
  [0x08, 'b'],
  [0x09, 't'],
  [0x0a, 'n'],
  [0x0c, 'f'],
  [0x0d, 'r'],
  [QUOTE, '"'],
  [BACKSLASH, '\\'],
] as const) {
  SHORT_ESCAPE[byte] = letter.charCodeAt(0);
}

/** Longest escape of one byte inside a string. */
export const MAX_ESCAPE = 6;

/** Writes the escape of a quote, backslash or control character to `to[at…]`; returns the index after it. */
export function writeEscape(byte: number, to: Uint8Array, at: number): number {
  to[at] = BACKSLASH;
  const short = SHORT_ESCAPE[byte]!;
  if (short !== 0) {
    to[at + 1] = short;
    return at + 2;
  }
  to[at + 1] = 0x75;
  to[at + 2] = 0x30;
  to[at + 3] = 0x30;
  to[at + 4] = HEX.charCodeAt(byte >> 4);
  to[at + 5] = HEX.charCodeAt(byte & 15);
  return at + 6;
}

/** Bytes of the JSON string that holds the UTF-8 text `bytes`, quotes included. */
export function quotedLength(bytes: Uint8Array): number {
  let size = bytes.length + 2;
  for (let i = 0; i < bytes.length; i++) {
    const c = bytes[i]!;
    if (PLAIN[c] === 0 && c < 0x80) size += SHORT_ESCAPE[c] === 0 ? 5 : 1;
  }
  return size;
}

/** Writes the UTF-8 text `bytes` as a JSON string to `to[at…]`; returns the index after it. */
export function writeQuoted(bytes: Uint8Array, to: Uint8Array, at: number): number {
  let out = at;
  to[out++] = QUOTE;
  for (let i = 0; i < bytes.length; i++) {
    const c = bytes[i]!;
    if (PLAIN[c] === 1 || c >= 0x80) to[out++] = c;
    else out = writeEscape(c, to, out);
  }
  to[out++] = QUOTE;
  return out;
}

/** The UTF-8 text `bytes` as a JSON string, quotes included. */
export function quote(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(quotedLength(bytes));
  writeQuoted(bytes, out, 0);
  return out;
}

/** The string that a valid JSON string `bytes[start, end)` (quotes included) stands for; lone surrogates become U+FFFD. */
export function unquoteText(bytes: Uint8Array, start: number, end: number): string {
  // Already checked by the scanner, so the parser cannot throw and answers a string.
  return (JSON.parse(utf8Text(bytes, start, end)) as string).toWellFormed();
}

/** {@link unquoteText} as UTF-8 bytes. */
export function unquote(bytes: Uint8Array, start: number, end: number): Uint8Array {
  return utf8Bytes(unquoteText(bytes, start, end));
}
