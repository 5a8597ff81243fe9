import type { MethodAccess } from '@msg/core';
import type { VerifiedToken } from '../tokens/claims.ts';
import { TokenRefused } from '../tokens/refusal.ts';
import type { TokenVerifier } from '../tokens/verifier.ts';

/** Who calls an RPC. */
export type Principal =
  /** Nobody in particular: a public method, or the bearer check is off. */
  | { readonly kind: 'anyone' }
  | { readonly kind: 'management'; readonly token: VerifiedToken }
  | { readonly kind: 'access'; readonly token: VerifiedToken };

const ANYONE: Principal = { kind: 'anyone' };

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

/** Verifies what another party signed: the bearer it stands for, `undefined` when it is not valid. */
export interface ForeignVerifier {
  verify(text: string): Promise<VerifiedToken | undefined>;
}

/**
 * The bearer check of the RPC, before route and body are looked at (messaging details 1.5).
 */
export class BearerCheck {
  readonly #verifier: TokenVerifier;
  readonly #off: boolean;
  readonly #foreign: ForeignVerifier | undefined;

  /**
   * @param off no checks at all: development only
   * @param foreign asked about management bearers that the service's own keys did not sign
   */
  constructor(verifier: TokenVerifier, off: boolean, foreign?: ForeignVerifier) {
    this.#verifier = verifier;
    this.#off = off;
    this.#foreign = foreign;
  }

  /**
   * Who calls. `access` is the rule of the method, `undefined` for a method that does not exist. A promise only for
   * a bearer that is left to the identity provider's keys.
   * @throws TokenRefused, 401; also as rejection, always with what the service's own verifier said.
   */
  authenticate(header: string | undefined, access: MethodAccess | undefined): Principal | Promise<Principal> {
    if (this.#off || access?.rule === 'public') return ANYONE;
    const text = bearerToken(header);
    if (text === undefined) throw new TokenRefused('MSG_AUTH_MISSING', undefined, true);
    try {
      return { kind: 'management', token: this.#verifier.verify('mgmt', text) };
    } catch (error) {
      if (!(error instanceof TokenRefused)) throw error;
      const accessAllowed = access?.rule === 'channel' && access.accessToken;
      if (accessAllowed && error.label === 'MSG_AUTH_TYPE_MISMATCH' && error.type === 'access') {
        return { kind: 'access', token: this.#verifier.verify('access', text) };
      }
      if (this.#foreign !== undefined) return this.#askForeign(this.#foreign, text, error);
      throw error.asBearer();
    }
  }

  async #askForeign(foreign: ForeignVerifier, text: string, refusal: TokenRefused): Promise<Principal> {
    const token = await foreign.verify(text);
    if (token === undefined) throw refusal.asBearer();
    return { kind: 'management', token };
  }
}
