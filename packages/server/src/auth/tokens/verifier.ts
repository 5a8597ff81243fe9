import type { Clock, Random } from '@msg/foundation/clock';
import { isRecord } from '@msg/foundation/json';
import { ALGORITHMS } from '../keys/algorithms.ts';
import type { Keyring } from '../keys/keyring.ts';
import type { BootCutoffs } from './boot-cutoff.ts';
import { readClaims, type TokenType, VerifiedToken } from './claims.ts';
import { InvalidTokenError } from './refusal.ts';
import { TokenCache } from './token-cache.ts';

/** Longest token looked at; ours are below 2 KiB unless they carry very many scopes. */
const MAX_TOKEN_LENGTH = 16 * 1024;
/** How far in the future `iat` may lie: clocks of nodes differ. */
const MAX_CLOCK_SKEW_MS = 30_000;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

export interface TokenVerifierOptions {
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly random: Random;
  /** Tokens issued earlier are refused. Default: none is. */
  readonly cutoffs?: BootCutoffs;
  /** Signatures remembered; 0 turns the cache off. Default 4096. */
  readonly cacheSize?: number;
  /** Called for each verification, for metrics. */
  readonly onVerified?: (type: TokenType, ok: boolean) => void;
}

function fingerprintSeed(random: Random): number {
  return Buffer.from(random.bytes(4)).readUInt32LE();
}

function decodeJson(part: string): unknown {
  if (!BASE64URL.test(part)) throw new InvalidTokenError('MSG_AUTH_MALFORMED');
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  } catch {
    throw new InvalidTokenError('MSG_AUTH_MALFORMED');
  }
}

interface Header {
  readonly alg: string;
  readonly kid: string;
}

function readHeader(part: string): Header {
  const header = decodeJson(part);
  if (!isRecord(header)) {
    throw new InvalidTokenError('MSG_AUTH_MALFORMED');
  }
  const members: Readonly<Record<string, unknown>> = { ...header };
  const { alg, kid } = members;
  if (typeof alg !== 'string' || !ALGORITHMS.has(alg))
    throw new InvalidTokenError('MSG_AUTH_UNSUPPORTED_ALG');
  // `crit` names extensions that must be understood (RFC 7515, 4.1.11); there are none here.
  if (members['typ'] !== 'JWT' || 'crit' in members || typeof kid !== 'string' || kid === '') {
    throw new InvalidTokenError('MSG_AUTH_MALFORMED');
  }
  return { alg, kid };
}

/**
 * Verifies tokens in the order of messaging details 6.2. What is remembered of a token is its claims, never
 * its text; key, expiry and type are checked anew every time.
 */
export class TokenVerifier {
  readonly #keyring: Keyring;
  readonly #clock: Clock;
  readonly #cache: TokenCache;
  readonly #cutoffs: BootCutoffs;
  readonly #onVerified: ((type: TokenType, ok: boolean) => void) | undefined;

  constructor(options: TokenVerifierOptions) {
    this.#keyring = options.keyring;
    this.#clock = options.clock;
    this.#cutoffs = options.cutoffs ?? {};
    this.#cache = new TokenCache(options.cacheSize ?? 4096, fingerprintSeed(options.random));
    this.#onVerified = options.onVerified;
  }

  /** @throws TokenRefused. */
  verify(type: TokenType, text: string): VerifiedToken {
    try {
      const token = this.#verify(type, text);
      this.#onVerified?.(type, true);
      return token;
    } catch (error) {
      this.#onVerified?.(type, false);
      throw error;
    }
  }

  #verify(type: TokenType, text: string): VerifiedToken {
    if (text.length > MAX_TOKEN_LENGTH) throw new InvalidTokenError('MSG_AUTH_MALFORMED');
    const token = this.#authentic(text);
    const { exp, iat, typ } = token.claims;
    const now = this.#clock.now();
    if (now > exp * 1000) throw new InvalidTokenError('MSG_AUTH_EXPIRED', typ);
    if (iat * 1000 > now + MAX_CLOCK_SKEW_MS) throw new InvalidTokenError('MSG_AUTH_NOT_YET_VALID', typ);
    if (typ !== type) throw new InvalidTokenError('MSG_AUTH_TYPE_MISMATCH', typ);
    this.requireRemembered(token);
    return token;
  }

  /** @throws TokenRefused, as for an expired token, when what is known against it may have been forgotten. */
  requireRemembered({ claims: { iat, typ } }: VerifiedToken): void {
    if (iat < (this.#cutoffs[typ] ?? 0)) throw new InvalidTokenError('MSG_AUTH_EXPIRED', typ);
  }

  /** The token when its signature is good under a live key. */
  #authentic(text: string): VerifiedToken {
    const known = this.#cache.find(text);
    if (known !== undefined && this.isKeyLive(known)) return known;
    const token = this.#checkSignature(text);
    this.#cache.remember(text, token);
    return token;
  }

  #checkSignature(text: string): VerifiedToken {
    const [headerPart, payloadPart, signaturePart, ...rest] = text.split('.');
    if (!headerPart || !payloadPart || !signaturePart || rest.length > 0) {
      throw new InvalidTokenError('MSG_AUTH_MALFORMED');
    }
    const signature = Buffer.from(signaturePart, 'base64url');
    // The decoder is lenient; only the one canonical text of a signature is accepted.
    if (signature.toString('base64url') !== signaturePart) throw new InvalidTokenError('MSG_AUTH_MALFORMED');
    const payload = decodeJson(payloadPart);
    const header = readHeader(headerPart);
    const key = this.#keyring.ring.resolve(header.kid);
    if (key !== undefined && key.material.alg !== header.alg)
      throw new InvalidTokenError('MSG_AUTH_UNSUPPORTED_ALG');
    // An unknown key and a bad signature look alike from outside.
    if (!key?.material.verify(`${headerPart}.${payloadPart}`, signature)) {
      throw new InvalidTokenError('MSG_AUTH_INVALID_SIGNATURE');
    }
    const claims = readClaims(payload);
    if (claims === undefined) throw new InvalidTokenError('MSG_AUTH_MALFORMED');
    return new VerifiedToken(claims, key.id, key.material.fingerprint);
  }

  /** True while the key that signed the token is not retired. */
  isKeyLive(token: VerifiedToken): boolean {
    return this.#keyring.ring.resolve(token.kid)?.material.fingerprint === token.fingerprint;
  }

  /** True when the token's lifetime is over. */
  isExpired(token: VerifiedToken): boolean {
    return this.#clock.now() > token.expiresAt;
  }
}
