import { hash, randomBytes } from 'node:crypto';

/** The digits of an id: base32 in small letters (RFC 4648). */
const ID_DIGITS = 'abcdefghijklmnopqrstuvwxyz234567';
const ID_LENGTH = 8;
const SECRET_BYTES = 32;

/** A key for other programs of the backend. */
export interface ApiKey {
  /** `msgk_<id>_<secret>`: for `.env`, which Git ignores. */
  readonly text: string;
  /** Its SHA-256 in hexadecimal: for the configuration. */
  readonly digest: string;
}

/** Makes a key of the form that `msg api-keys new` makes. Source: app-developers 1. */
export function createApiKey(): ApiKey {
  const id = [...randomBytes(ID_LENGTH)].map(byte => ID_DIGITS[byte % ID_DIGITS.length]).join('');
  const text = `msgk_${id}_${randomBytes(SECRET_BYTES).toString('base64url')}`;
  return { text, digest: hash('sha256', text, 'hex') };
}
