import { createECDH, randomBytes } from 'node:crypto';
import { localhostCertificate, type WebhookBehaviour, WebhookReceiver } from '@msg/testkit';
import ece from 'http_ece';
import { importJWK, jwtVerify } from 'jose';
import { type PushFetch, pushFetch } from '#src/notify/sinks/webpush/push-fetch.ts';
import type { WebPushRecipient } from '#src/notify/sinks/webpush/recipient.ts';
import { generateVapidKeys } from '#src/notify/sinks/webpush/vapid.ts';

/** Connects to allowed addresses; the certificate of the double is the only one that is trusted. */
export const trusting = (isAllowed: () => boolean): PushFetch =>
  pushFetch({ isAllowed, ca: localhostCertificate().cert });

export const TRUSTING = trusting(() => true);

/** The subscription of a browser, with the keys that decrypt its messages. */
export class Subscription {
  readonly #keys = createECDH('prime256v1');
  readonly recipient: WebPushRecipient;

  constructor(origin: string) {
    this.recipient = {
      endpoint: `${origin}/wpush/v2/${randomBytes(24).toString('base64url')}`,
      keys: {
        p256dh: this.#keys.generateKeys('base64url'),
        auth: randomBytes(16).toString('base64url'),
      },
      expirationTime: null,
    };
  }

  decryptedBytes(body: Uint8Array): Buffer {
    const { auth: authSecret } = this.recipient.keys;
    return ece.decrypt(Buffer.from(body), { version: 'aes128gcm', privateKey: this.#keys, authSecret });
  }

  /** The JSON that the service worker gets. */
  decrypted(body: Uint8Array): unknown {
    return JSON.parse(this.decryptedBytes(body).toString());
  }
}

/** What a push service read of the header `Authorization`. */
export interface VapidClaims {
  readonly aud?: unknown;
  readonly exp?: unknown;
  readonly sub?: unknown;
  /** The public key that the header names. */
  readonly key: string;
}

/** Checks the signature of a header by `jose`. Rejects when it is not right. */
export async function verifiedVapid(authorization: string, now: number): Promise<VapidClaims> {
  const [, token = '', key = ''] = /^vapid t=([^,]+), k=([A-Za-z0-9_-]{87})$/.exec(authorization) ?? [];
  const point = Buffer.from(key, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map(half => half.toString('base64url'));
  const jwk = await importJWK({ kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' }, 'ES256');
  const { payload } = await jwtVerify(token, jwk, { currentDate: new Date(now) });
  return { aud: payload.aud, exp: payload.exp, sub: payload.sub, key };
}

/** A push service on TLS, which keeps what it gets. */
export async function pushService(
  behaviour: WebhookBehaviour = { status: 201 },
): Promise<{ readonly server: WebhookReceiver; readonly origin: string }> {
  const server = new WebhookReceiver(behaviour, localhostCertificate());
  return { server, origin: await server.listen() };
}

export const VAPID = generateVapidKeys();
