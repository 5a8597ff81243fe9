import { timingSafeEqual } from 'node:crypto';
import type { VerifiedToken } from './claims.ts';

/** Characters of the signature, at the end of a text, that identify a token: 124 bits of 256 or more, as base64url. */
const TAG_LENGTH = 21;
/** Longer texts are not cached. */
const MAX_TEXT_LENGTH = 16 * 1024;

/** Bytes of two words, which the fingerprint takes at a time. */
const STEP_BYTES = 8;

const UTF8 = new TextEncoder();

interface Entry {
  readonly tag: Uint8Array;
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
  readonly #onGone: ((token: VerifiedToken) => void) | undefined;
  readonly #entries = new Map<number, Entry>();
  /** The current text as UTF-8 (at most three bytes per UTF-16 unit), padded with zeros. */
  readonly #bytes = new Uint8Array(MAX_TEXT_LENGTH * 3 + STEP_BYTES);
  readonly #words = new Int32Array(this.#bytes.buffer);
  /** The tag of the current text: a copy costs less than another view of the bytes. */
  readonly #tag = new Uint8Array(TAG_LENGTH);

  /**
   * @param size maximum number of tokens; 0: no cache
   * @param seed 32 bits that no caller knows
   * @param onGone called with a token that makes room for another
   */
  constructor(size: number, seed: number, onGone?: (token: VerifiedToken) => void) {
    this.#size = size;
    this.#seed = seed;
    this.#onGone = onGone;
  }

  /** The cached token of a text. */
  find(text: string): VerifiedToken | undefined {
    const length = this.#write(text);
    if (length === 0) return undefined;
    const entry = this.#entries.get(this.#fingerprint(length));
    const token =
      entry !== undefined && timingSafeEqual(this.#tagOf(length), entry.tag) ? entry.token : undefined;
    this.#clear(length);
    return token;
  }

  /** Caches the token of a text with a valid signature. */
  remember(text: string, token: VerifiedToken): void {
    const length = this.#write(text);
    if (length === 0) return;
    const key = this.#fingerprint(length);
    this.#entries.delete(key);
    this.#entries.set(key, { tag: this.#tagOf(length).slice(), token });
    this.#clear(length);
    if (this.#entries.size <= this.#size) return;
    const oldest = this.#entries.entries().next();
    if (oldest.done) return;
    const [oldestKey, { token: gone }] = oldest.value;
    this.#entries.delete(oldestKey);
    this.#onGone?.(gone);
  }

  /** The cached tokens. */
  *tokens(): Iterable<VerifiedToken> {
    for (const { token } of this.#entries.values()) yield token;
  }

  /** Writes the text's bytes to the buffer and returns their length; 0 for a text that is not cached. */
  #write(text: string): number {
    if (this.#size === 0 || text.length < TAG_LENGTH || text.length > MAX_TEXT_LENGTH) return 0;
    return UTF8.encodeInto(text, this.#bytes).written;
  }

  #clear(length: number): void {
    this.#words.fill(0, 0, (length >>> 2) + 1);
  }

  #tagOf(length: number): Uint8Array {
    const start = length - TAG_LENGTH;
    for (let index = 0; index < TAG_LENGTH; index++) this.#tag[index] = this.#bytes[start + index] ?? 0;
    return this.#tag;
  }

  /** A fast 53-bit digest; not collision resistant. Its halves are of every other word: they do not wait for each other. */
  #fingerprint(length: number): number {
    const words = this.#words;
    let high = this.#seed ^ length;
    let low = ~this.#seed;
    for (let index = 0; index << 2 < length; index += 2) {
      high = Math.imul(high ^ (words[index] ?? 0), 0x9e3779b1);
      high ^= high >>> 15;
      low = Math.imul(low ^ (words[index + 1] ?? 0), 0x5f356495);
      low ^= low >>> 13;
    }
    return (high >>> 11) * 0x100000000 + (low >>> 0);
  }
}
