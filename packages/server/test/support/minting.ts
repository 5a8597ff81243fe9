import { createHmac, randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The current time in Unix seconds. */
export const nowSeconds = (): number => Math.floor(Date.now() / 1000);

/** A key of the test's own, to mint tokens with lifetimes the service would not give. */
export class TestKey {
  readonly kid: string;
  readonly secret: Buffer;

  constructor(kid = `k-${randomBytes(6).toString('hex')}`, secret = randomBytes(32)) {
    this.kid = kid;
    this.secret = secret;
  }

  /** Signs claims; header members can be replaced. */
  sign(claims: object, header: object = {}): string {
    const input = `${base64url({ alg: 'HS256', kid: this.kid, typ: 'JWT', ...header })}.${base64url(claims)}`;
    return `${input}.${createHmac('sha256', this.secret).update(input).digest('base64url')}`;
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
      secret_hex: this.secret.toString('hex'),
      role,
      created_at: '2026-01-02T03:04:05.678Z',
    };
  }
}

export const newId = (): string => randomBytes(16).toString('base64url');

/** A keyring document; the first key is active. */
export function keyringDocument(active: TestKey, ...others: readonly TestKey[]): string {
  return JSON.stringify({
    format_version: '1',
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
