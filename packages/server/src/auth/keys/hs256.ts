import { createHash, createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { Random } from '@msg/foundation/clock';
import type { KeyAlgorithm, KeyMaterial, KeyringEntry } from './material.ts';

/** Length of a generated secret and minimum length of any secret, bytes. */
const SECRET_BYTES = 32;

class Hs256Key implements KeyMaterial {
  readonly alg = 'HS256';
  readonly fingerprint: string;
  readonly #secret: KeyObject;

  constructor(secret: Uint8Array) {
    this.#secret = createSecretKey(secret);
    this.fingerprint = createHash('sha256').update(secret).digest('hex').slice(0, 12);
  }

  sign(input: string): Uint8Array {
    return createHmac('sha256', this.#secret).update(input).digest();
  }

  verify(input: string, signature: Uint8Array): boolean {
    const expected = this.sign(input);
    return signature.length === expected.length && timingSafeEqual(signature, expected);
  }

  export(): Partial<KeyringEntry> {
    return { secret_hex: this.#secret.export().toString('hex') };
  }
}

/** HMAC with SHA-256 over a 32-byte secret. */
export const hs256: KeyAlgorithm = {
  name: 'HS256',
  generate: (random: Random) => Promise.resolve(new Hs256Key(random.bytes(SECRET_BYTES))),
  load(entry) {
    const text = entry.secret_hex ?? '';
    if (!/^([0-9a-fA-F]{2})+$/.test(text)) throw new Error('secret_hex is not hexadecimal');
    if (text.length < SECRET_BYTES * 2) throw new Error(`secret_hex is shorter than ${SECRET_BYTES} bytes`);
    return new Hs256Key(Buffer.from(text, 'hex'));
  },
};
