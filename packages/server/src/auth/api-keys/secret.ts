import { hash } from 'node:crypto';
import type { Random } from '@msg/foundation/clock';

/** The digits of an id: base32 in small letters (RFC 4648). */
const ID_DIGITS = 'abcdefghijklmnopqrstuvwxyz234567';
const ID_LENGTH = 8;
const SECRET_BYTES = 32;

/** Prefix of a generated key, by which secret scanners find it. */
export const KEY_PREFIX = 'msgk_';

/** Secrets that one key has at most: enough to rotate without a gap. */
export const MAX_SECRETS = 3;

/** Longest key. */
const MAX_KEY_LENGTH = 256;
const PRINTABLE = /^[\x21-\x7e]+$/;
/** Shortest key that is safe from guessing. */
const STRONG_LENGTH = 24;

const DIGEST = /^[0-9a-f]{64}$/;

/** The name of a key, which metrics may show: 1–64 of `a-z0-9-`. */
const NAME = /^[a-z0-9-]{1,64}$/;

export function isKeyName(text: string): boolean {
  return NAME.test(text);
}

/** Whether a text has the form of a key: 1–256 printable ASCII characters without spaces. */
export function isKeyText(text: string): boolean {
  return text.length <= MAX_KEY_LENGTH && PRINTABLE.test(text) && !isTokenText(text);
}

/** Whether a text has the form of a signed token (a JSON object in base64url, dots), which is never a key. */
export function isTokenText(text: string): boolean {
  return text.startsWith('eyJ') && text.includes('.');
}

export function isWeakKey(text: string): boolean {
  return text.length < STRONG_LENGTH;
}

/** The SHA-256 of a key, hexadecimal; the key itself is not stored. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'hex');
}

/** Whether a text is a SHA-256 digest, 64 hexadecimal digits in small letters. */
export function isDigest(text: string): boolean {
  return DIGEST.test(text);
}

/** A generated key. */
export interface NewKey {
  /** `msgk_<id>_<secret>`, shown once. */
  readonly text: string;
  /** The part of the text that is not secret. */
  readonly id: string;
}

/** Makes a key with an id of 40 random bits and a secret of 256. */
export function generateKeyText(random: Random): NewKey {
  let id = '';
  for (const byte of random.bytes(ID_LENGTH)) id += ID_DIGITS[byte % ID_DIGITS.length];
  const secret = Buffer.from(random.bytes(SECRET_BYTES)).toString('base64url');
  return { text: `${KEY_PREFIX}${id}_${secret}`, id };
}
