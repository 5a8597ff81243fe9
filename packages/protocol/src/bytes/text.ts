import { latin1Slice, utf8Slice } from './platform.ts';

interface Utf8Decoder {
  decode(bytes: Uint8Array): string;
}
// All platforms have these globals, but no type library that this package could depend on.
declare const TextDecoder: new (label: string, options: { ignoreBOM: boolean }) => Utf8Decoder;

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

const char = String.fromCharCode;
const CHUNK = 4096;

/** The string of `bytes[start, end)`, all of which must be below 0x80. */
export function asciiText(bytes: Uint8Array, start: number, end: number): string {
  const size = end - start;
  if (size <= 12) return shortText(bytes, start, size);
  if (latin1Slice !== undefined) return latin1Slice.call(bytes, start, end);
  return portableAsciiText(bytes, start, end);
}

/** {@link asciiText} without a Buffer. */
export function portableAsciiText(bytes: Uint8Array, start: number, end: number): string {
  if (end - start <= CHUNK) {
    // `apply` takes any array-like, its type only arrays.
    return char.apply(null, bytes.subarray(start, end) as unknown as number[]);
  }
  return decoder.decode(bytes.subarray(start, end));
}

/** The string of `bytes[start, end)`; malformed sequences become U+FFFD, so check first where that matters. */
export function utf8Text(bytes: Uint8Array, start: number, end: number): string {
  if (utf8Slice !== undefined) return utf8Slice.call(bytes, start, end);
  return portableUtf8Text(bytes, start, end);
}

/** {@link utf8Text} without a Buffer. */
export function portableUtf8Text(bytes: Uint8Array, start: number, end: number): string {
  return decoder.decode(bytes.subarray(start, end));
}

/** The string of up to 12 bytes: cheaper than any call into native code. */
function shortText(b: Uint8Array, at: number, size: number): string {
  switch (size) {
    case 0:
      return '';
    case 1:
      return char(b[at]!);
    case 2:
      return char(b[at]!, b[at + 1]!);
    case 3:
      return char(b[at]!, b[at + 1]!, b[at + 2]!);
    case 4:
      return char(b[at]!, b[at + 1]!, b[at + 2]!, b[at + 3]!);
    case 5:
      return char(b[at]!, b[at + 1]!, b[at + 2]!, b[at + 3]!, b[at + 4]!);
    case 6:
      return char(b[at]!, b[at + 1]!, b[at + 2]!, b[at + 3]!, b[at + 4]!, b[at + 5]!);
    default:
      return shortText(b, at, 6) + shortText(b, at + 6, size - 6);
  }
}
