import {
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The current time in Unix seconds. */
export const nowSeconds = (): number => Math.floor(Date.now() / 1000);

/** The algorithms a keyring can hold. */
export const ALGORITHMS = ['HS256', 'RS256', 'EdDSA', 'ES256', 'ES384'] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

function newPair(alg: Algorithm): KeyObject {
  switch (alg) {
    case 'RS256':
      return generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    case 'EdDSA':
      return generateKeyPairSync('ed25519').privateKey;
    default:
      return generateKeyPairSync('ec', { namedCurve: alg === 'ES384' ? 'P-384' : 'P-256' }).privateKey;
  }
}

/** A key of the test's own, to mint tokens with lifetimes the service would not give. */
export class TestKey {
  readonly kid: string;
  readonly alg: Algorithm;
  /** Of HS256. */
  readonly secret: Buffer;
  /** Of the others. */
  readonly #pair: KeyObject | null;

  constructor(
    kid = `k-${randomBytes(6).toString('hex')}`,
    secret = randomBytes(32),
    alg: Algorithm = 'HS256',
  ) {
    this.kid = kid;
    this.secret = secret;
    this.alg = alg;
    this.#pair = alg === 'HS256' ? null : newPair(alg);
  }

  /** A new key of that algorithm. */
  static of(alg: Algorithm): TestKey {
    return new TestKey(undefined, undefined, alg);
  }

  /** PEM of the public half. */
  get publicPem(): string {
    if (this.#pair === null) throw new Error('a secret has no public half');
    return createPublicKey(this.#pair).export({ type: 'spki', format: 'pem' }).toString();
  }

  /** What `jose` signs with. */
  get signingKey(): KeyObject | Buffer {
    return this.#pair ?? this.secret;
  }

  /** Signs claims; header members can be replaced. */
  sign(claims: object, header: object = {}): string {
    const input = `${base64url({ alg: this.alg, kid: this.kid, typ: 'JWT', ...header })}.${base64url(claims)}`;
    return `${input}.${this.#signature(input).toString('base64url')}`;
  }

  #signature(input: string): Buffer {
    if (this.#pair === null) return createHmac('sha256', this.secret).update(input).digest();
    const digest = this.alg === 'EdDSA' ? null : this.alg === 'ES384' ? 'sha384' : 'sha256';
    return sign(digest, Buffer.from(input), { key: this.#pair, dsaEncoding: 'ieee-p1363' });
  }

  /** An access token that lives that many seconds. */
  access(seconds: number, claims: object = {}): string {
    const iat = nowSeconds();
    return this.sign({ sub: 'u-1', typ: 'access', iat, exp: iat + seconds, jti: newId(), ...claims });
  }

  /** Its entry in a keyring document. */
  entry(role = 'verify-only'): object {
    return {
      id: this.kid,
      ...(this.#pair === null
        ? { secret_hex: this.secret.toString('hex') }
        : { alg: this.alg, private_pem: this.#pair.export({ type: 'pkcs8', format: 'pem' }) }),
      role,
      created_at: '2026-01-02T03:04:05.678Z',
    };
  }
}

export const newId = (): string => randomBytes(16).toString('base64url');

/** A keyring document; the first key is active. */
export function keyringDocument(active: TestKey, ...others: readonly TestKey[]): string {
  return JSON.stringify({
    format_version: [active, ...others].every(({ alg }) => alg === 'HS256') ? '1' : '2',
    active_key_id: active.kid,
    keys: [active.entry('active'), ...others.map(key => key.entry())],
  });
}

/** Writes `keyring.json` into a state directory. */
export async function writeKeyring(
  stateDir: string,
  active: TestKey,
  ...others: readonly TestKey[]
): Promise<void> {
  await mkdir(stateDir, { recursive: true, mode: 0o700 });
  await writeFile(join(stateDir, 'keyring.json'), keyringDocument(active, ...others), { mode: 0o600 });
}
