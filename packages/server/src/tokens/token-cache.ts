import { timingSafeEqual } from 'node:crypto';
import type { VerifiedToken } from './claims.ts';

/** How much of a signature identifies a token: 126 bits of the 256, as base64url. */
const TAG_LENGTH = 21;

interface Entry {
  readonly tag: Buffer;
  readonly token: VerifiedToken;
}

/** A fast 53-bit digest of a text. Whoever wants two texts with the same one finds them. */
function fingerprint(text: string, seed: number): number {
  let high = seed;
  let low = ~seed;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 0x9e3779b1);
    low = Math.imul(low ^ code, 0x5f356495);
  }
  high ^= low >>> 15;
  return (high >>> 11) * 0x100000000 + (low >>> 0);
}

/** The beginning of the signature; bytes of their own, for a slice would keep the whole text alive. */
function tagOf(text: string): Buffer {
  const start = text.lastIndexOf('.') + 1;
  return Buffer.from(text.slice(start, start + TAG_LENGTH), 'latin1');
}

/**
 * Tokens whose signature was found good, the oldest forgotten first, without their texts.
 *
 * A text is taken for a known token when half of its signature and a fingerprint of the whole are those of that
 * token. Half a signature is a truncated MAC (RFC 2104, section 5) that only the signer and the bearer know, and too
 * little to make a token of. The fingerprint stands for the rest; who holds a token and finds another text with the
 * same fingerprint and signature gains nothing but the token that he holds.
 */
export class TokenCache {
  readonly #size: number;
  readonly #seed: number;
  readonly #entries = new Map<number, Entry>();

  /** @param size tokens remembered; 0 remembers none. @param seed 32 bits that no caller knows. */
  constructor(size: number, seed: number) {
    this.#size = size;
    this.#seed = seed;
  }

  /** The token of a text that was remembered. */
  find(text: string): VerifiedToken | undefined {
    if (this.#size === 0) return undefined;
    const entry = this.#entries.get(fingerprint(text, this.#seed));
    if (entry === undefined) return undefined;
    const tag = tagOf(text);
    return tag.length === TAG_LENGTH && timingSafeEqual(tag, entry.tag) ? entry.token : undefined;
  }

  /** Remembers the token of a text whose signature is good. */
  remember(text: string, token: VerifiedToken): void {
    if (this.#size === 0) return;
    const tag = tagOf(text);
    if (tag.length !== TAG_LENGTH) return;
    const key = fingerprint(text, this.#seed);
    this.#entries.delete(key);
    this.#entries.set(key, { tag, token });
    if (this.#entries.size <= this.#size) return;
    const oldest = this.#entries.keys().next();
    if (!oldest.done) this.#entries.delete(oldest.value);
  }
}
