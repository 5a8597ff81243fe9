import { createCipheriv, createECDH, type ECDH, hkdfSync, randomBytes } from 'node:crypto';

const CURVE = 'prime256v1';
const RECORD_BYTES = 4096;
const SALT_BYTES = 16;
const TAG_BYTES = 16;
const POINT_BYTES = 65;
/** Salt, size of a record, length of the key's id, and the id: the sender's public key. Source: RFC 8188, section 2.1. */
const HEADER_BYTES = SALT_BYTES + 4 + 1 + POINT_BYTES;
/** Ends the last record. Source: RFC 8188, section 2. */
const LAST_RECORD = 2;

/** The largest text of one message: the body has at most 4,096 bytes. Source: RFC 8291, section 4. */
export const MAX_PLAINTEXT_BYTES = RECORD_BYTES - HEADER_BYTES - 1 - TAG_BYTES;

/** The keys of a subscription: the browser's public point (65 bytes) and its secret (16 bytes). */
export interface SubscriptionKeys {
  readonly p256dh: Buffer;
  readonly auth: Buffer;
}

/** What is fresh in every message. */
export interface MessageChance {
  readonly salt: Buffer;
  /** With its keys. */
  readonly sender: ECDH;
}

function freshChance(): MessageChance {
  const sender = createECDH(CURVE);
  sender.generateKeys();
  return { salt: randomBytes(SALT_BYTES), sender };
}

function derived(secret: Buffer, salt: Buffer, info: Buffer, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, length));
}

/**
 * The body of a push message, content encoding `aes128gcm`: header and one record. Source: RFC 8291, section 3; RFC 8188.
 * @param plaintext at most {@link MAX_PLAINTEXT_BYTES}
 */
export function encrypted(
  plaintext: Buffer,
  { p256dh, auth }: SubscriptionKeys,
  { salt, sender }: MessageChance = freshChance(),
): Buffer {
  const point = sender.getPublicKey();
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), p256dh, point]);
  const material = derived(sender.computeSecret(p256dh), auth, info, 32);
  const key = derived(material, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derived(material, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const header = Buffer.alloc(SALT_BYTES + 5);
  salt.copy(header);
  header.writeUInt32BE(RECORD_BYTES, SALT_BYTES);
  header.writeUInt8(POINT_BYTES, SALT_BYTES + 4);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const record = [cipher.update(plaintext), cipher.update(Buffer.of(LAST_RECORD)), cipher.final()];
  return Buffer.concat([header, point, ...record, cipher.getAuthTag()]);
}
