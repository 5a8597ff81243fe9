import { type MethodAccess, MsgError } from '@msg/core';
import { isPromise, type MaybePromise } from '@msg/foundation/promises';
import type { VerifiedToken } from '../tokens/claims.ts';
import { InvalidTokenError } from '../tokens/refusal.ts';
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
  // The usual form is not worth a regular expression.
  if (header.startsWith(USUAL) && header.length > USUAL.length && !hasSpace(header, USUAL.length)) {
    return header.slice(USUAL.length);
  }
  return /^bearer +([^ \t]+) *$/i.exec(header)?.[1];
}

function bearerOf(token: VerifiedToken, isRevoked: boolean): Principal {
  if (isRevoked) throw MsgError.unauthenticated('the token was revoked');
  return { kind: 'management', token };
}

/**
 * The bearer check of the RPC, before route and body are looked at (messaging details 1.5).
 */
export class BearerCheck {
  readonly #verifier: TokenVerifier;
  readonly #off: boolean;
  readonly #isRevoked: RevocationCheck;
  readonly #provider: IdentityTokenVerifier | undefined;

  /**
   * @param off no checks at all: development only
   * @param isRevoked asked about every management bearer
   * @param provider asked about management bearers that the service's own keys did not sign
   */
  constructor(
    verifier: TokenVerifier,
    off: boolean,
    isRevoked: RevocationCheck,
    provider?: IdentityTokenVerifier,
  ) {
    this.#verifier = verifier;
    this.#off = off;
    this.#isRevoked = isRevoked;
    this.#provider = provider;
  }

  /**
   * Who calls. `access` is the rule of the method, `undefined` for a method that does not exist. A promise only for
   * a bearer that is left to the identity provider's keys, and where revocations have to be waited for.
   * @throws InvalidTokenError, 401, also as rejection, with what the verifier said whose issuer the token names; MsgError
   * MSG_AUTH_DENIED, 401, for a management bearer that was revoked, MSG_INTERNAL when the revocation store fails.
   */
  authenticate(header: string | undefined, access: MethodAccess | undefined): MaybePromise<Principal> {
    if (this.#off || access?.rule === 'public') return ANONYMOUS;
    const text = bearerToken(header);
    if (text === undefined) throw new InvalidTokenError('MSG_AUTH_MISSING', undefined, true);
    const reading = this.#verifier.readBearer(text, this.#provider);
    return isPromise(reading)
      ? reading.then(later => this.#principal(later, access))
      : this.#principal(reading, access);
  }

  #principal(reading: TokenReading, access: MethodAccess | undefined): MaybePromise<Principal> {
    if (reading instanceof InvalidTokenError) throw reading.asBearer();
    const { typ } = reading.claims;
    if (typ === 'mgmt') {
      const isRevoked = this.#isRevoked(reading);
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
