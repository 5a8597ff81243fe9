/**
 * Length of the well-formed multi-byte UTF-8 sequence at `at` (2–4), or 0 without one: overlong forms,
 * surrogates and code points above U+10FFFF are not well-formed (RFC 3629).
 */
export function sequenceLength(bytes: Uint8Array, at: number, end: number): 0 | 2 | 3 | 4 {
  const lead = bytes[at]!;
  if (lead < 0xc2) return 0;
  if (lead < 0xe0) return at + 1 < end && isTail(bytes[at + 1]!) ? 2 : 0;
  if (lead < 0xf0) {
    if (at + 2 >= end) return 0;
    const second = bytes[at + 1]!;
    if (lead === 0xe0 ? second < 0xa0 : lead === 0xed && second > 0x9f) return 0;
    return isTail(second) && isTail(bytes[at + 2]!) ? 3 : 0;
  }
  if (lead > 0xf4 || at + 3 >= end) return 0;
  const second = bytes[at + 1]!;
  if (lead === 0xf0 ? second < 0x90 : lead === 0xf4 && second > 0x8f) return 0;
  return isTail(second) && isTail(bytes[at + 2]!) && isTail(bytes[at + 3]!) ? 4 : 0;
}

function isTail(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** True when the bytes are well-formed UTF-8. Empty input is. */
export function isUtf8(bytes: Uint8Array): boolean {
  return isUtf8Range(bytes, 0, bytes.length);
}

/** {@link isUtf8} of `bytes[start, end)`. */
export function isUtf8Range(bytes: Uint8Array, start: number, end: number): boolean {
  let i = start;
  while (i < end) {
    if (bytes[i]! < 0x80) {
      i++;
      continue;
    }
    const length = sequenceLength(bytes, i, end);
    if (length === 0) return false;
    i += length;
  }
  return true;
}

/** Bytes of the UTF-8 form of a string; a lone surrogate counts as U+FFFD. */
export function utf8Length(text: string): number {
  let size = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    if (unit < 0x800) size += 1;
    else {
      size += 2;
      // A pair is two units and four bytes; alone, each half is written as the three bytes of U+FFFD.
      if (isPairAt(text, i, unit)) i++;
    }
  }
  return size;
}

/** Writes the UTF-8 form of a string to `to[at…]` and returns the index after it. */
export function writeUtf8(text: string, to: Uint8Array, at: number): number {
  let out = at;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) to[out++] = unit;
    else if (isPairAt(text, i, unit)) {
      out = writeCodePoint(0x10000 + ((unit - 0xd800) << 10) + (text.charCodeAt(++i) - 0xdc00), to, out);
    } else out = writeCodePoint(unit >= 0xd800 && unit <= 0xdfff ? 0xfffd : unit, to, out);
  }
  return out;
}

/** True when a complete surrogate pair starts at `at`, whose unit is `unit`. */
export function isPairAt(text: string, at: number, unit: number): boolean {
  if (unit < 0xd800 || unit > 0xdbff || at + 1 >= text.length) return false;
  const low = text.charCodeAt(at + 1);
  return low >= 0xdc00 && low <= 0xdfff;
}

/** Writes one code point of at least U+0080 and returns the index after it. */
export function writeCodePoint(code: number, to: Uint8Array, at: number): number {
  if (code < 0x800) {
    to[at] = 0xc0 | (code >> 6);
    to[at + 1] = 0x80 | (code & 0x3f);
    return at + 2;
  }
  if (code < 0x10000) {
    to[at] = 0xe0 | (code >> 12);
    to[at + 1] = 0x80 | ((code >> 6) & 0x3f);
    to[at + 2] = 0x80 | (code & 0x3f);
    return at + 3;
  }
  to[at] = 0xf0 | (code >> 18);
  to[at + 1] = 0x80 | ((code >> 12) & 0x3f);
  to[at + 2] = 0x80 | ((code >> 6) & 0x3f);
  to[at + 3] = 0x80 | (code & 0x3f);
  return at + 4;
}

/** The UTF-8 form of a string. */
export function utf8Bytes(text: string): Uint8Array {
  const out = new Uint8Array(utf8Length(text));
  writeUtf8(text, out, 0);
  return out;
}
