/** Bytes with a meaning in JSON text (RFC 8259). */
export const LF = 0x0a;
const SPACE = 0x20;
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const ZERO = 0x30;
export const COLON = 0x3a;
export const OPEN_ARRAY = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;

/** 1 for ASCII bytes that need no escape inside a string: no quote, no backslash, no control character. */
export const PLAIN = byteTable(byte => byte >= SPACE && byte < 0x80 && byte !== QUOTE && byte !== BACKSLASH);

/** 1 for what may follow a backslash, except `u`. */
export const SIMPLE_ESCAPE = byteTable(byte => '"\\/bfnrt'.includes(String.fromCharCode(byte)));

export const HEX_DIGIT = byteTable(byte => /[0-9a-fA-F]/.test(String.fromCharCode(byte)));

function byteTable(matches: (byte: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => (matches(byte) ? 1 : 0));
}
