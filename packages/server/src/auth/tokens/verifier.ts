import { hash } from 'node:crypto';
import type { Clock, Random } from '@msg/foundation/clock';
import { isRecord } from '@msg/foundation/json';
import type { MaybePromise } from '@msg/foundation/promises';
import { ALGORITHMS } from '../keys/algorithms.ts';
import type { Keyring } from '../keys/keyring.ts';
import type { BootCutoffs } from './boot-cutoff.ts';
import { isTokenType, readClaims, type TokenType, VerifiedToken } from './claims.ts';
import { InvalidTokenError } from './invalid-token.ts';
import { TokenCache } from './token-cache.ts';

/** Longest accepted token; the service's tokens are below 2 KiB unless they carry very many scopes. */
const MAX_TOKEN_LENGTH = 16 * 1024;
/** How far in the future `iat` may lie: clocks of nodes differ. */
const MAX_CLOCK_SKEW_MS = 30_000;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

/** Tokens that a process remembers, and the least that a thread of it does. */
const CACHED_TOKENS = 4096;
const LEAST_CACHED = 1000;

/** Tokens that each of so many threads remembers (threads 5). */
export function tokensOfThread(threads: number): number {
  return Math.max(Math.floor(CACHED_TOKENS / threads), LEAST_CACHED);
}

export interface TokenVerifierOptions {
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly random: Random;
  /** Tokens issued earlier are invalid. Default: none. */
  readonly cutoffs?: BootCutoffs;
  /** Size of the signature cache; 0 turns it off. Default 4096. */
  readonly cacheSize?: number;
  /** Called with a token that leaves the cache. */
  readonly onGone?: (token: VerifiedToken) => void;
  /** Called once for each verification, with the type that the token claims, for metrics. */
  readonly onVerified?: (type: TokenType | 'unknown', ok: boolean) => void;
}

/** A verified token with its type, or why the text does not verify. */
export type TokenReading = VerifiedToken | InvalidTokenError;

/** Verifies tokens of an identity provider. */
export interface IdentityTokenVerifier {
  /**
   * The management bearer of the token; `undefined` when the token names another issuer.
   * @throws InvalidTokenError for an invalid token of the provider
   */
  verify(text: string): Promise<VerifiedToken | undefined>;
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

/** The type that a text with an invalid signature claims, for metrics only. */
function claimedType(text: string): unknown {
  if (text.length > MAX_TOKEN_LENGTH) return undefined;
  try {
    const payload = decodeJson(text.split('.', 2)[1] ?? '');
    return isRecord(payload) ? payload['typ'] : undefined;
  } catch {
    return undefined;
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
  // `crit` names extensions that must be understood (RFC 7515, 4.1.11); the service has no extension.
  if (members['typ'] !== 'JWT' || 'crit' in members || typeof kid !== 'string' || kid === '') {
    throw new InvalidTokenError('MSG_AUTH_MALFORMED');
  }
  return { alg, kid };
}

/** A management bearer gets the digest of its text, once while the cache has it. */
function withDigest(reading: TokenReading, text: string): TokenReading {
  if (!(reading instanceof InvalidTokenError) && reading.claims.typ === 'mgmt' && reading.digest === '')
    reading.digest = hash('sha256', text, 'base64url');
  return reading;
}

/**
 * Verifies tokens in the order of messaging details 6.2; each verification counts once. The cache holds claims, never
 * texts; key, expiry and type are checked every time.
 */
export class TokenVerifier {
  readonly #keyring: Keyring;
  readonly #clock: Clock;
  readonly #cache: TokenCache;
  readonly #cutoffs: BootCutoffs;
  readonly #onVerified: TokenVerifierOptions['onVerified'];

  constructor(options: TokenVerifierOptions) {
    this.#keyring = options.keyring;
    this.#clock = options.clock;
    this.#cutoffs = options.cutoffs ?? {};
    const seed = fingerprintSeed(options.random);
    this.#cache = new TokenCache(options.cacheSize ?? CACHED_TOKENS, seed, options.onGone);
    this.#onVerified = options.onVerified;
  }

  /** Reads the text of a token of any type. */
  read(text: string): TokenReading {
    const reading = this.#read(text);
    this.#count(text, reading);
    return reading;
  }

  /** As {@link read}; the identity provider verifies tokens that the service's own keys did not sign. */
  readBearer(text: string, provider: IdentityTokenVerifier | undefined): MaybePromise<TokenReading> {
    const reading = this.#read(text);
    if (provider !== undefined && reading instanceof InvalidTokenError) {
      return this.#readForeign(text, provider, reading);
    }
    this.#count(text, reading);
    return withDigest(reading, text);
  }

  /** Reads a token that has to be of one type. @throws InvalidTokenError */
  verify(type: TokenType, text: string): VerifiedToken {
    const reading = this.read(text);
    if (reading instanceof InvalidTokenError) throw reading;
    const { typ } = reading.claims;
    if (typ !== type) throw new InvalidTokenError('MSG_AUTH_TYPE_MISMATCH', typ);
    return reading;
  }

  #read(text: string): TokenReading {
    try {
      if (text.length > MAX_TOKEN_LENGTH) return new InvalidTokenError('MSG_AUTH_MALFORMED');
      const token = this.#authentic(text);
      const { exp, iat, typ } = token.claims;
      const now = this.#clock.now();
      if (now > exp * 1000) return new InvalidTokenError('MSG_AUTH_EXPIRED', typ);
      if (iat * 1000 > now + MAX_CLOCK_SKEW_MS) return new InvalidTokenError('MSG_AUTH_NOT_YET_VALID', typ);
      token.seenAt = now;
      return this.#remembered(token);
    } catch (error) {
      if (error instanceof InvalidTokenError) return error;
      throw error;
    }
  }

  /** The provider's result for its own token; for any other the result of this verifier. */
  async #readForeign(
    text: string,
    provider: IdentityTokenVerifier,
    error: InvalidTokenError,
  ): Promise<TokenReading> {
    try {
      const token = await provider.verify(text);
      if (token === undefined) {
        this.#count(text, error);
        return error;
      }
      const reading = this.#remembered(token);
      this.#onVerified?.('mgmt', reading === token);
      return withDigest(reading, text);
    } catch (cause) {
      if (!(cause instanceof InvalidTokenError)) throw cause;
      this.#onVerified?.('mgmt', false);
      return cause;
    }
  }

  /** The token if it is live; a token from before the boot cutoff counts as expired. */
  #remembered(token: VerifiedToken): TokenReading {
    const { iat, typ } = token.claims;
    return iat < (this.#cutoffs[typ] ?? 0) ? new InvalidTokenError('MSG_AUTH_EXPIRED', typ) : token;
  }

  #count(text: string, reading: TokenReading): void {
    if (this.#onVerified === undefined) return;
    const ok = !(reading instanceof InvalidTokenError);
    const type = ok ? reading.claims.typ : (reading.type ?? claimedType(text));
    this.#onVerified(isTokenType(type) ? type : 'unknown', ok);
  }

  /** The token if a live key signed it. @throws MsgError MSG_BROKER_NOT_READY while the keyring is renewed */
  #authentic(text: string): VerifiedToken {
    this.#keyring.live.requireCurrent();
    const cached = this.#cache.find(text);
    if (cached !== undefined && this.isKeyLive(cached)) return cached;
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
    // The decoder is lenient; only the canonical text of a signature is accepted.
    if (signature.toString('base64url') !== signaturePart) throw new InvalidTokenError('MSG_AUTH_MALFORMED');
    const payload = decodeJson(payloadPart);
    const header = readHeader(headerPart);
    const key = this.#keyring.keySet.resolve(header.kid);
    if (key !== undefined && key.material.alg !== header.alg)
      throw new InvalidTokenError('MSG_AUTH_UNSUPPORTED_ALG');
    // An unknown key and an invalid signature get the same error.
    if (!key?.material.verify(`${headerPart}.${payloadPart}`, signature)) {
      throw new InvalidTokenError('MSG_AUTH_INVALID_SIGNATURE');
    }
    const claims = readClaims(payload);
    if (claims === undefined) throw new InvalidTokenError('MSG_AUTH_MALFORMED');
    return new VerifiedToken(claims, key.id, key.material.fingerprint);
  }

  /** The tokens in the cache, expired ones too. */
  tokens(): Iterable<VerifiedToken> {
    return this.#cache.tokens();
  }

  /** True while the key that signed the token is not retired. */
  isKeyLive(token: VerifiedToken): boolean {
    return this.#keyring.keySet.resolve(token.kid)?.material.fingerprint === token.fingerprint;
  }

  /** True when the token's lifetime is over. */
  isExpired(token: VerifiedToken): boolean {
    return this.#clock.now() > token.expiresAt;
  }
}
