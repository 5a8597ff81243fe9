import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { promisify } from 'node:util';
import type { KeyAlgorithm, KeyMaterial, KeyringEntry, PublicJwk } from './material.ts';

const generatePair = promisify(generateKeyPair) as (
  type: string,
  options: object,
) => Promise<{ readonly privateKey: KeyObject }>; // its overloads are one per key type

/** Shortest RSA modulus, bits (RFC 7518, 3.3). */
const RSA_BITS = 2048;

interface Scheme {
  readonly alg: string;
  /** `null`: the algorithm hashes by itself. */
  readonly digest: string | null;
  readonly type: 'rsa' | 'ec' | 'ed25519';
  /** Name of the curve as Node.js knows it. */
  readonly curve?: string;
}

const SCHEMES: readonly Scheme[] = [
  { alg: 'RS256', digest: 'sha256', type: 'rsa' },
  { alg: 'EdDSA', digest: null, type: 'ed25519' },
  { alg: 'ES256', digest: 'sha256', type: 'ec', curve: 'prime256v1' },
  { alg: 'ES384', digest: 'sha384', type: 'ec', curve: 'secp384r1' },
];

class AsymmetricKey implements KeyMaterial {
  readonly alg: string;
  readonly fingerprint: string;
  readonly publicJwk: PublicJwk;
  readonly #digest: string | null;
  readonly #private: KeyObject;
  readonly #public: KeyObject;

  constructor({ alg, digest }: Scheme, key: KeyObject) {
    this.alg = alg;
    this.#digest = digest;
    this.#private = key;
    this.#public = createPublicKey(key);
    const info = this.#public.export({ type: 'spki', format: 'der' });
    this.fingerprint = createHash('sha256').update(info).digest('hex').slice(0, 12);
    this.publicJwk = this.#public.export({ format: 'jwk' }) as PublicJwk; // the public members of that key type
  }

  sign(input: string): Uint8Array {
    // JWS concatenates the two numbers of an ECDSA signature (RFC 7518, 3.4); other keys ignore the option.
    return sign(this.#digest, Buffer.from(input), { key: this.#private, dsaEncoding: 'ieee-p1363' });
  }

  verify(input: string, signature: Uint8Array): boolean {
    const key = { key: this.#public, dsaEncoding: 'ieee-p1363' as const };
    return verify(this.#digest, Buffer.from(input), key, signature);
  }

  export(): Partial<KeyringEntry> {
    return { private_pem: this.#private.export({ type: 'pkcs8', format: 'pem' }).toString() };
  }
}

function requireKeyOf({ alg, type, curve }: Scheme, key: KeyObject): void {
  const { namedCurve, modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType !== type || namedCurve !== curve) {
    throw new Error(`private_pem is not a key for ${alg}`);
  }
  if (type === 'rsa' && modulusLength < RSA_BITS) {
    throw new Error(`private_pem: an RSA key has at least ${RSA_BITS} bits`);
  }
}

function loadPrivate(pem: string): KeyObject {
  try {
    // Node.js reads further forms, which other readers of the document may not.
    if (!pem.trimStart().startsWith('-----BEGIN PRIVATE KEY-----')) throw new Error('another form');
    return createPrivateKey({ key: pem, format: 'pem', type: 'pkcs8' });
  } catch {
    // The cause may quote the key.
    throw new Error('private_pem must be a PKCS#8 key in PEM form');
  }
}

function algorithmOf(scheme: Scheme): KeyAlgorithm {
  const { alg, type, curve } = scheme;
  return {
    name: alg,
    async generate() {
      const options = curve === undefined ? { modulusLength: RSA_BITS } : { namedCurve: curve };
      const { privateKey } = await generatePair(type, options);
      return new AsymmetricKey(scheme, privateKey);
    },
    load(entry) {
      if (entry.secret_hex) throw new Error(`secret_hex does not belong to ${alg}`);
      const key = loadPrivate(entry.private_pem ?? '');
      requireKeyOf(scheme, key);
      return new AsymmetricKey(scheme, key);
    },
  };
}

/** RS256, EdDSA over Ed25519, ES256 and ES384 (RFC 7518, RFC 8037; messaging details 22). */
export const ASYMMETRIC: readonly KeyAlgorithm[] = SCHEMES.map(algorithmOf);
