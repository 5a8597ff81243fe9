import { createECDH, createPrivateKey, type KeyObject, sign } from 'node:crypto';

const CURVE = 'prime256v1';
const PRIVATE_KEY_BYTES = 32;
const PRIVATE_KEY = /^[A-Za-z0-9_-]{43}$/;

/** A key pair as texts: base64url of the scalar (32 bytes) and of the uncompressed point (65 bytes). */
export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** Makes a key pair for a sender of push messages. Source: RFC 8292, section 3.2. */
export function generateVapidKeys(): VapidKeys {
  const pair = createECDH(CURVE);
  pair.generateKeys();
  // A scalar with leading zeros has fewer bytes.
  const scalar = Buffer.alloc(PRIVATE_KEY_BYTES);
  const bytes = pair.getPrivateKey();
  bytes.copy(scalar, PRIVATE_KEY_BYTES - bytes.length);
  return { publicKey: pair.getPublicKey('base64url'), privateKey: scalar.toString('base64url') };
}

/** The key by which a sender says who it is. Source: RFC 8292. */
export class VapidKey {
  /** Base64url of the uncompressed point: pages subscribe with it. */
  readonly publicKey: string;
  readonly #key: KeyObject;

  /** @param text base64url of 32 bytes. @throws Error, which does not contain it, for anything else */
  constructor(text: string) {
    if (!PRIVATE_KEY.test(text)) throw new Error('must be 32 bytes in base64url, 43 characters');
    const pair = createECDH(CURVE);
    try {
      pair.setPrivateKey(text, 'base64url');
    } catch {
      throw new Error('must be a private key of the curve P-256');
    }
    const point = pair.getPublicKey();
    this.publicKey = point.toString('base64url');
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map(half => half.toString('base64url'));
    this.#key = createPrivateKey({
      format: 'jwk',
      key: { kty: 'EC', crv: 'P-256', d: text, x: x ?? '', y: y ?? '' },
    });
  }

  /** The header `Authorization` for one push service. @param expires Unix seconds. Source: RFC 8292, sections 2 and 3 */
  authorization(origin: string, subject: string, expires: number): string {
    const head = encoded({ typ: 'JWT', alg: 'ES256' });
    const claims = encoded({ aud: origin, exp: expires, sub: subject });
    const signature = sign('sha256', Buffer.from(`${head}.${claims}`), {
      key: this.#key,
      dsaEncoding: 'ieee-p1363',
    });
    return `vapid t=${head}.${claims}.${signature.toString('base64url')}, k=${this.publicKey}`;
  }
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
