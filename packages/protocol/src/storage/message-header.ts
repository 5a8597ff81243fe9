import { asciiText, utf8Text } from '../bytes/text.ts';
import { isUtf8Range } from '../bytes/utf8.ts';
import { DecodeError } from '../decode-error.ts';

// What the headers of messages between nodes are made of (client protocol 16.4).

/** The text of an epoch. @throws DecodeError */
export function epochText(bytes: Uint8Array, start: number, end: number): string {
  if (!isUtf8Range(bytes, start, end)) throw malformed();
  return utf8Text(bytes, start, end);
}

/** Decimal digits, at most 15 of them: exact in a double. */
export function wholeNumber(bytes: Uint8Array, start: number, end: number): number {
  if (end === start || end - start > 15) throw malformed();
  for (let i = start; i < end; i++) if (bytes[i]! < 0x30 || bytes[i]! > 0x39) throw malformed();
  return Number(asciiText(bytes, start, end));
}

/** Index of a byte from `from` on. @throws DecodeError */
export function indexOf(bytes: Uint8Array, byte: number, from: number): number {
  const at = bytes.indexOf(byte, from);
  if (at === -1) throw malformed();
  return at;
}

export function malformed(): DecodeError {
  return new DecodeError('malformed', 'not a broker message');
}
