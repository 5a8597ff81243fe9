import type { Random } from '@msg/foundation/clock';

/** One key of a keyring document. */
export interface KeyringEntry {
  readonly id: string;
  readonly alg?: string;
  /** HMAC secret in hexadecimal. */
  readonly secret_hex?: string;
  /** PKCS#8 PEM of an asymmetric key. */
  readonly private_pem?: string;
  readonly role: string;
  readonly created_at: string;
}

/** The public part of an asymmetric key (RFC 7517), without id and use. */
export interface PublicJwk {
  readonly kty: string;
  readonly crv?: string;
  readonly x?: string;
  readonly y?: string;
  readonly n?: string;
  readonly e?: string;
}

/** The secret part of a signing key behind the operations that need it. */
export interface KeyMaterial {
  /** JWS algorithm name. */
  readonly alg: string;
  /** First 12 hex digits of the SHA-256 of the secret (of the public key, for asymmetric algorithms). */
  readonly fingerprint: string;
  /** The public key; absent for a secret that signs and verifies. */
  readonly publicJwk?: PublicJwk;
  /** Signs the JWS signing input. */
  sign(input: string): Uint8Array;
  /** Checks a signature in constant time. */
  verify(input: string, signature: Uint8Array): boolean;
  /** The members of a keyring entry with the secret. */
  export(): Partial<KeyringEntry>;
}

/** One JWS algorithm: generates and loads its keys. */
export interface KeyAlgorithm {
  readonly name: string;
  /** Asymmetric keys use the operating system's randomness, not `random`. */
  generate(random: Random): Promise<KeyMaterial>;
  /** @throws Error when the entry does not hold a usable key of this algorithm. */
  load(entry: KeyringEntry): KeyMaterial;
}
