import { createHmac, timingSafeEqual } from 'node:crypto';

/** Header of a signed webhook: `t=<unix seconds>,v1=<hex HMAC-SHA-256 of "<t>.<body>">`. */
export const SIGNATURE_HEADER = 'X-Msg-Signature';

/** How old a signature may be, seconds. */
const SIGNATURE_TOLERANCE_SECONDS = 300;

function digest(secret: string, seconds: string, body: string | Uint8Array): Buffer {
  return createHmac('sha256', secret).update(`${seconds}.`).update(body).digest();
}

/** The value of the signature header. `now` is Unix milliseconds. */
export function signWebhook(secret: string, body: string, now: number): string {
  const seconds = String(Math.floor(now / 1000));
  return `t=${seconds},v1=${digest(secret, seconds, body).toString('hex')}`;
}

/** The input of a receiver's check. */
export interface SignedWebhook {
  readonly secret: string;
  /** Value of the header {@link SIGNATURE_HEADER}; absent for an unsigned request. */
  readonly header: string | undefined;
  /** The body as it was received, before any parsing. */
  readonly body: string | Uint8Array;
  /** The receiver's clock, Unix milliseconds. */
  readonly now: number;
  readonly toleranceSeconds?: number;
}

/**
 * For receivers: whether the secret signed the webhook within the tolerance, 5 minutes by default. Compares in constant
 * time.
 */
export function verifyWebhook(webhook: SignedWebhook): boolean {
  const match = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(webhook.header ?? '');
  const [, seconds = '', signature = ''] = match ?? [];
  if (match === null) return false;
  const age = Math.abs(webhook.now / 1000 - Number(seconds));
  if (age > (webhook.toleranceSeconds ?? SIGNATURE_TOLERANCE_SECONDS)) return false;
  return timingSafeEqual(digest(webhook.secret, seconds, webhook.body), Buffer.from(signature, 'hex'));
}
