import type { IncomingHttpHeaders } from 'node:http';
import { type MethodAccess, MsgError } from '@msg/core';
import { isPromise, type MaybePromise } from '@msg/foundation/promises';
import type { ApiKeys } from '../api-keys/api-keys.ts';
import { isTokenText, KEY_PREFIX } from '../api-keys/secret.ts';
import type { VerifiedToken } from '../tokens/claims.ts';
import { InvalidTokenError } from '../tokens/invalid-token.ts';
import type { RevocationCheck } from '../tokens/revocation/contract.ts';
import type { IdentityTokenVerifier, TokenReading, TokenVerifier } from '../tokens/verifier.ts';
import type { Principal } from './principal.ts';

const ANONYMOUS: Principal = { kind: 'anonymous' };

const USUAL = 'Bearer ';

/** Whether there is a space or tab, the white space of header values (RFC 9110, section 5.5), from `start` on. */
function hasSpace(header: string, start: number): boolean {
  return header.includes(' ', start) || header.includes('\t', start);
}

/** The token of an `Authorization: Bearer <token>` header; the scheme in any case of letters. */
export function bearerToken(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  // The usual form needs no regular expression.
  if (header.startsWith(USUAL) && header.length > USUAL.length && !hasSpace(header, USUAL.length)) {
    return header.slice(USUAL.length);
  }
  return /^bearer +([^ \t]+) *$/i.exec(header)?.[1];
}

/** The key of an `X-API-Key` header; undefined for an empty header. */
function apiKeyHeader({ 'x-api-key': header }: IncomingHttpHeaders): string | undefined {
  return typeof header === 'string' && header !== '' ? header : undefined;
}

function bearerOf(token: VerifiedToken, isRevoked: boolean): Principal {
  if (isRevoked) throw MsgError.unauthenticated('the token was revoked');
  return { kind: 'management', token };
}

export interface BearerCheckOptions {
  readonly verifier: TokenVerifier;
  readonly apiKeys: Pick<ApiKeys, 'check' | 'size'>;
  /** No checks at all: development only. */
  readonly off: boolean;
  /** Checks every management bearer that is a token. */
  readonly isRevoked: RevocationCheck;
  /** Verifies management bearers that the service's own keys did not sign. */
  readonly provider?: IdentityTokenVerifier | undefined;
}

/**
 * The bearer check of the RPC, before route and body are read (messaging details 1.5; keys: the application developer's
 * side, section 1).
 */
export class BearerCheck {
  readonly #options: BearerCheckOptions;

  constructor(options: BearerCheckOptions) {
    this.#options = options;
  }

  /**
   * Finds the caller. `access` is the rule of the method, `undefined` for a method that does not exist. Returns a promise
   * only when the identity provider's keys or revocations are waited for. With API keys configured, `X-API-Key` is read
   * first and decides alone.
   * @throws InvalidTokenError, 401, also as rejection, from the verifier of the token's issuer; MsgError MSG_AUTH_DENIED,
   * 401, for a revoked management bearer, MSG_INTERNAL when the revocation store fails.
   */
  authenticate(headers: IncomingHttpHeaders, access: MethodAccess | undefined): MaybePromise<Principal> {
    const { off, apiKeys, verifier, provider } = this.#options;
    if (off || access?.rule === 'public') return ANONYMOUS;
    const key = apiKeys.size === 0 ? undefined : apiKeyHeader(headers);
    if (key !== undefined) return this.#ownerOf(key);
    const text = bearerToken(headers.authorization);
    if (text === undefined) throw new InvalidTokenError('MSG_AUTH_MISSING', undefined, true);
    if (text.startsWith(KEY_PREFIX) || (apiKeys.size > 0 && !isTokenText(text))) return this.#ownerOf(text);
    const reading = verifier.readBearer(text, provider);
    return isPromise(reading)
      ? reading.then(later => this.#principal(later, access))
      : this.#principal(reading, access);
  }

  #ownerOf(key: string): Principal {
    const bearer = this.#options.apiKeys.check(key);
    if (bearer instanceof InvalidTokenError) throw bearer;
    return { kind: 'management', token: bearer };
  }

  #principal(reading: TokenReading, access: MethodAccess | undefined): MaybePromise<Principal> {
    if (reading instanceof InvalidTokenError) throw reading.asBearer();
    const { typ } = reading.claims;
    if (typ === 'mgmt') {
      const isRevoked = this.#options.isRevoked(reading);
      return isPromise(isRevoked)
        ? isRevoked.then(later => bearerOf(reading, later))
        : bearerOf(reading, isRevoked);
    }
    if (typ === 'access' && access?.rule === 'channel' && access.accessToken) {
      return { kind: 'access', token: reading };
    }
    throw new InvalidTokenError('MSG_AUTH_TYPE_MISMATCH', typ, true);
  }
}
