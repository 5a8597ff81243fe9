import { libraryFailure } from '../failure.ts';

const ESCAPE = 37;
const BRACKET = 91;
const CLOSING = 93;
const CARET = 94;
const DASH = 45;
const DOT = 46;

/** The byte at a place; 0 beyond the end, as in C. */
export function byteAt(text: string, index: number): number {
  return index < text.length ? text.charCodeAt(index) : 0;
}

/** Where the class that begins here ends. */
export function classEnd(pattern: string, start: number): number {
  let at = start + 1;
  const byte = byteAt(pattern, start);
  if (byte === ESCAPE) {
    if (byteAt(pattern, at) === 0) throw libraryFailure("malformed pattern (ends with '%')");
    return at + 1;
  }
  if (byte !== BRACKET) return at;
  if (byteAt(pattern, at) === CARET) at++;
  do {
    const inside = byteAt(pattern, at);
    if (inside === 0) throw libraryFailure("malformed pattern (missing ']')");
    at++;
    if (inside === ESCAPE && byteAt(pattern, at) !== 0) at++;
  } while (byteAt(pattern, at) !== CLOSING);
  return at + 1;
}

/** Whether a byte is of the class between two places of the pattern. */
export function isInClass(byte: number, pattern: string, start: number, end: number): boolean {
  const first = byteAt(pattern, start);
  if (first === DOT) return true;
  if (first === ESCAPE) return isOfNamedClass(byte, byteAt(pattern, start + 1));
  return first === BRACKET ? isInSet(byte, pattern, start, end - 1) : first === byte;
}

/** Whether a byte is in the set `[…]`; `last` is the place of its end. */
export function isInSet(byte: number, pattern: string, start: number, last: number): boolean {
  const isNegated = byteAt(pattern, start + 1) === CARET;
  let at = start + Number(isNegated) + 1;
  for (; at < last; at++) {
    const inside = byteAt(pattern, at);
    if (inside === ESCAPE) {
      at++;
      if (isOfNamedClass(byte, byteAt(pattern, at))) return !isNegated;
    } else if (byteAt(pattern, at + 1) === DASH && at + 2 < last) {
      at += 2;
      if (inside <= byte && byte <= byteAt(pattern, at)) return !isNegated;
    } else if (inside === byte) return !isNegated;
  }
  return isNegated;
}

const isDigit = (byte: number) => byte >= 48 && byte <= 57;
const isUpper = (byte: number) => byte >= 65 && byte <= 90;
const isLower = (byte: number) => byte >= 97 && byte <= 122;
const isAlpha = (byte: number) => isUpper(byte) || isLower(byte);
const isPrinted = (byte: number) => byte > 32 && byte < 127;

/** The classes of the C locale by their letters. */
const CLASSES: Readonly<Record<string, (byte: number) => boolean>> = {
  a: isAlpha,
  c: byte => byte < 32 || byte === 127,
  d: isDigit,
  l: isLower,
  p: byte => isPrinted(byte) && !isAlpha(byte) && !isDigit(byte),
  s: byte => byte === 32 || (byte >= 9 && byte <= 13),
  u: isUpper,
  w: byte => isAlpha(byte) || isDigit(byte),
  x: byte => isDigit(byte) || (byte >= 65 && byte <= 70) || (byte >= 97 && byte <= 102),
  z: byte => byte === 0,
};

function isOfNamedClass(byte: number, letter: number): boolean {
  const isOf = CLASSES[String.fromCharCode(letter).toLowerCase()];
  if (isOf === undefined) return byte === letter;
  return isLower(letter) ? isOf(byte) : !isOf(byte);
}
