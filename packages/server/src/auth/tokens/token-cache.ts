import { timingSafeEqual } from 'node:crypto';
import type { VerifiedToken } from './claims.ts';

/** Characters of the signature, at the end of a text, that identify a token: 124 bits of 256 or more, as base64url. */
const TAG_LENGTH = 21;
/** Longer texts are not cached. */
const MAX_TEXT_LENGTH = 16 * 1024;

interface Entry {
  readonly tag: Buffer;
  readonly token: VerifiedToken;
}

/**
 * Tokens with verified signatures, without their texts; the oldest is dropped first.
 *
 * A text is a cached token when half of its signature and a fingerprint of the whole text match. Half a signature is a
 * truncated MAC (RFC 2104, section 5) that only signer and bearer know, and too little to forge a token. The fingerprint
 * covers the rest: a bearer who finds another text with the same fingerprint and signature gets only the rights of its
 * own token.
 */
export class TokenCache {
  readonly #size: number;
  readonly #seed: number;
  readonly #entries = new Map<number, Entry>();
  /** The current text as UTF-8 (at most three bytes per UTF-16 unit), padded with zeros. */
  readonly #bytes = Buffer.alloc(MAX_TEXT_LENGTH * 3 + 4);
  readonly #words = new Int32Array(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.length >>> 2);

  /** @param size maximum number of tokens; 0: no cache. @param seed 32 bits that no caller knows */
  constructor(size: number, seed: number) {
    this.#size = size;
    this.#seed = seed;
  }

  /** The cached token of a text. */
  find(text: string): VerifiedToken | undefined {
    const length = this.#write(text);
    if (length === 0) return undefined;
    const entry = this.#entries.get(this.#fingerprint(length));
    const token =
      entry !== undefined && timingSafeEqual(this.#tag(length), entry.tag) ? entry.token : undefined;
    this.#bytes.fill(0, 0, length);
    return token;
  }

  /** Caches the token of a text with a valid signature. */
  remember(text: string, token: VerifiedToken): void {
    const length = this.#write(text);
    if (length === 0) return;
    const key = this.#fingerprint(length);
    this.#entries.delete(key);
    this.#entries.set(key, { tag: Buffer.from(this.#tag(length)), token });
    this.#bytes.fill(0, 0, length);
    if (this.#entries.size <= this.#size) return;
    const oldest = this.#entries.keys().next();
    if (!oldest.done) this.#entries.delete(oldest.value);
  }

  /** Writes the text's bytes to the buffer and returns their length; 0 for a text that is not cached. */
  #write(text: string): number {
    if (this.#size === 0 || text.length < TAG_LENGTH || text.length > MAX_TEXT_LENGTH) return 0;
    return this.#bytes.write(text);
  }

  #tag(length: number): Buffer {
    return this.#bytes.subarray(length - TAG_LENGTH, length);
  }

  /** A fast 53-bit digest; not collision resistant. */
  #fingerprint(length: number): number {
    const words = this.#words;
    let high = this.#seed ^ length;
    let low = ~this.#seed;
    for (let index = 0; index < length; index += 4) {
      const word = words[index >>> 2] ?? 0;
      high = Math.imul(high ^ word, 0x9e3779b1);
      high ^= high >>> 15;
      low = Math.imul(low ^ word, 0x5f356495);
      low ^= low >>> 13;
    }
    return (high >>> 11) * 0x100000000 + (low >>> 0);
  }
}
