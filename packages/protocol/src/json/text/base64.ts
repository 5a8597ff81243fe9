import { utf8Bytes } from '../../bytes/utf8.ts';
import { QUOTE } from './characters.ts';

const LETTERS = utf8Bytes('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
const PAD = 0x3d;

/** A JSON string of the standard base64 of `bytes` (RFC 4648, 4), quotes included. */
export function quotedBase64(bytes: Uint8Array): Uint8Array {
  const { length } = bytes;
  const out = new Uint8Array(Math.ceil(length / 3) * 4 + 2);
  let to = 0;
  out[to++] = QUOTE;
  for (let at = 0; at < length; at += 3) {
    // Bytes after the end count as 0.
    const group = (bytes[at]! << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    out[to++] = LETTERS[group >> 18]!;
    out[to++] = LETTERS[(group >> 12) & 63]!;
    out[to++] = at + 1 < length ? LETTERS[(group >> 6) & 63]! : PAD;
    out[to++] = at + 2 < length ? LETTERS[group & 63]! : PAD;
  }
  out[to] = QUOTE;
  return out;
}
