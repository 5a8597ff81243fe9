import { allocate } from './small-bytes.ts';

const STANDARD = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

const VALUES: Int8Array = (() => {
  const values = new Int8Array(128).fill(-1);
  for (let index = 0; index < 64; index++) values[STANDARD.charCodeAt(index)] = index;
  values['-'.charCodeAt(0)] = 62;
  values['_'.charCodeAt(0)] = 63;
  return values;
})();

/** The platform's codec (ECMAScript 2026), if it exists: many times faster than a loop over characters. */
interface NativeBase64 {
  setFromBase64?(text: string, options: { lastChunkHandling: 'strict' }): { written: number };
}

const STRICT = { lastChunkHandling: 'strict' } as const;

const PAD = '='.charCodeAt(0);

/** Whether the character at this place from the end, 1 for the last one, is padding. */
function endsPadded(text: string, place: number): boolean {
  return text.charCodeAt(text.length - place) === PAD;
}

/** Decodes canonical, padded text of the standard alphabet natively; `undefined`: the loop must decode it. */
function decodeNatively(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0) return undefined;
  const padding = !endsPadded(text, 1) ? 0 : endsPadded(text, 2) ? 2 : 1;
  const bytes = allocate((text.length / 4) * 3 - padding);
  // The compiler's library declarations lack it. Writing to an existing array costs a tenth of making a new one.
  const native = bytes as NativeBase64;
  if (native.setFromBase64 === undefined) return undefined;
  try {
    // The decoder skips white space, and then writes less than the length promises.
    return native.setFromBase64(text, STRICT).written === bytes.length ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/** Standard base64 with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  let text = '';
  for (let index = 0; index < bytes.length; index += 3) {
    const left = bytes.length - index;
    const group = ((bytes[index] ?? 0) << 16) | ((bytes[index + 1] ?? 0) << 8) | (bytes[index + 2] ?? 0);
    text += STANDARD.charAt(group >> 18) + STANDARD.charAt((group >> 12) & 63);
    text += left > 1 ? STANDARD.charAt((group >> 6) & 63) : '=';
    text += left > 2 ? STANDARD.charAt(group & 63) : '=';
  }
  return text;
}

/**
 * Reads base64 in the standard or URL-safe alphabet, with or without padding.
 * Canonical means that encoding the bytes again gives the same text, alphabet and padding aside:
 * bits behind the last byte are zero and padding, when present, is complete.
 * @returns the bytes, which may be a part of a larger buffer; `undefined` for a text that is not canonical base64.
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  return decodeNatively(text) ?? decodeByLoop(text);
}

function decodeByLoop(text: string): Uint8Array | undefined {
  const body = text.replace(/={1,2}$/, '');
  if (body.length !== text.length && text.length % 4 !== 0) return undefined;
  if (body.length % 4 === 1) return undefined;
  const bytes = new Uint8Array(Math.floor((body.length * 3) / 4));
  let bits = 0;
  let held = 0;
  let at = 0;
  for (let index = 0; index < body.length; index++) {
    const value = VALUES[body.charCodeAt(index)] ?? -1;
    if (value < 0) return undefined;
    bits = ((bits << 6) | value) & 0xffff;
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes[at++] = (bits >> held) & 0xff;
    }
  }
  return (bits & ((1 << held) - 1)) === 0 ? bytes : undefined;
}
