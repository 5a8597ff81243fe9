import crypto, { type ECDH, type KeyObject } from 'node:crypto';
import { refuse } from '../kernel/refuse.ts';
import { kernelIfRunning } from '../kernel/running.ts';
import { streamOf } from './globals.ts';

const CURVE = 'prime256v1';
/** The order of the group of P-256. Source: FIPS 186-5. */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const SCALAR_BYTES = 32;

/** `crypto.createECDH`, whose keys are drawn in a run. */
export function drawnEcdh(curve: string): ECDH {
  const pair = crypto.createECDH(curve);
  const generate = pair.generateKeys.bind(pair);
  // One function has the types of several.
  pair.generateKeys = ((encoding?: crypto.BinaryToTextEncoding, format?: crypto.ECDHKeyFormat) => {
    if (kernelIfRunning() === undefined)
      return encoding === undefined ? generate() : generate(encoding, format);
    pair.setPrivateKey(bytesOf(drawnScalar()));
    return encoding === undefined ? pair.getPublicKey() : pair.getPublicKey(encoding, format);
  }) as ECDH['generateKeys'];
  return pair;
}

type SignKey = Parameters<typeof crypto.sign>[2];

/** `crypto.sign`: the number that ECDSA draws for each signature is drawn in a run. Others are always the same. */
export function drawnSignature(
  algorithm: string | null | undefined,
  data: NodeJS.ArrayBufferView,
  key: SignKey,
  callback?: unknown,
): Buffer {
  if (callback !== undefined) refuse('crypto.sign with a callback');
  const { key: object, dsaEncoding } = key as { key?: KeyObject; dsaEncoding?: string };
  if (kernelIfRunning() === undefined || object?.asymmetricKeyType !== 'ec')
    return crypto.sign(algorithm, data, key);
  const { d = '', crv } = object.export({ format: 'jwk' });
  if (crv !== 'P-256' || algorithm !== 'sha256' || dsaEncoding !== 'ieee-p1363')
    refuse('crypto.sign of another kind than ES256');
  const digest = numberOf(crypto.createHash('sha256').update(data).digest());
  const nonce = drawnScalar();
  const pair = crypto.createECDH(CURVE);
  pair.setPrivateKey(bytesOf(nonce));
  const r = numberOf(pair.getPublicKey().subarray(1, 1 + SCALAR_BYTES)) % ORDER;
  const s = (inverse(nonce) * ((digest + r * numberOf(Buffer.from(d, 'base64url'))) % ORDER)) % ORDER;
  return Buffer.concat([bytesOf(r), bytesOf(s)]);
}

/** A number in [1, ORDER). */
function drawnScalar(): bigint {
  return (numberOf(streamOf('crypto').bytes(SCALAR_BYTES)) % (ORDER - 1n)) + 1n;
}

function numberOf(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
}

function bytesOf(number: bigint): Buffer {
  return Buffer.from(number.toString(16).padStart(2 * SCALAR_BYTES, '0'), 'hex');
}

/** By Fermat: the order is a prime. */
function inverse(number: bigint): bigint {
  let [result, base, exponent] = [1n, number % ORDER, ORDER - 2n];
  for (; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) result = (result * base) % ORDER;
    base = (base * base) % ORDER;
  }
  return result;
}
