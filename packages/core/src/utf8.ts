import { allocate, LARGEST_PART } from './small-bytes.ts';

/** The encoder of all browsers and Node.js, declared here because this package uses no platform's types. */
declare const TextEncoder: new () => {
  encode(text: string): Uint8Array;
  encodeInto(text: string, bytes: Uint8Array): { read: number; written: number };
};

const UTF8 = new TextEncoder();

/** The UTF-8 bytes of a text, which may be a part of a larger buffer. */
export function encodeUtf8(text: string): Uint8Array {
  if (text.length > LARGEST_PART) return UTF8.encode(text);
  // ASCII has as many bytes as characters.
  const bytes = allocate(text.length);
  const { read, written } = UTF8.encodeInto(text, bytes);
  return read === text.length && written === bytes.length ? bytes : UTF8.encode(text);
}
