import { MsgError } from '@msg/core';
import type { Clock } from '@msg/foundation/clock';
import { isRecord } from '@msg/foundation/json';
import { isTokenText } from '../auth/api-keys/secret.ts';
import type { VerifiedToken } from '../auth/tokens/claims.ts';
import { InvalidTokenError } from '../auth/tokens/invalid-token.ts';
import type { RevocationCheck } from '../auth/tokens/revocation/contract.ts';
import type { IdentityTokenVerifier, TokenVerifier } from '../auth/tokens/verifier.ts';

/** Refusals of one address in a minute; further ones wait for its end. */
const REFUSALS = 10;
const MINUTE_MS = 60_000;
/** Addresses that are remembered. */
const CAPACITY = 10_000;

export interface SignInOptions {
  readonly verifier: Pick<TokenVerifier, 'readBearer'>;
  readonly provider: IdentityTokenVerifier | undefined;
  readonly isRevoked: RevocationCheck;
  readonly clock: Clock;
}

/** Reads the credential of a sign-in: a management token, or an ID token. Source: console, section 4.1. */
export class SignIn {
  readonly #options: SignInOptions;
  readonly #refusals = new Map<string, { readonly since: number; count: number }>();

  constructor(options: SignInOptions) {
    this.#options = options;
  }

  /**
   * The bearer of a text. `address` is the caller's.
   * @throws InvalidTokenError with a remedy; MsgError MSG_AUTH_DENIED for a revoked bearer, MSG_RATE_LIMITED after ten
   * refusals in a minute
   */
  async read(text: string, address: string): Promise<VerifiedToken> {
    this.#requireCalm(address);
    try {
      return await this.#verify(text);
    } catch (error) {
      if (error instanceof MsgError && error.twirp === 'unauthenticated') this.#refused(address);
      throw error;
    }
  }

  async #verify(text: string): Promise<VerifiedToken> {
    const { verifier, provider, isRevoked } = this.#options;
    if (!isTokenText(text)) throw mismatch(text === '' ? 'an empty text' : 'an API key or another text');
    const reading = await verifier.readBearer(text, provider);
    if (reading instanceof InvalidTokenError) throw this.#withRemedy(reading, text);
    const { typ } = reading.claims;
    if (typ !== 'mgmt') throw mismatch(typ === 'access' ? 'an access token' : 'a refresh token');
    if (await isRevoked(reading)) throw MsgError.unauthenticated('the token was revoked');
    return reading;
  }

  #withRemedy(error: InvalidTokenError, text: string): InvalidTokenError {
    const said = (remedy: string): InvalidTokenError =>
      new InvalidTokenError(error.label, error.type, true, `${error.message}: ${remedy}`);
    if (error.label === 'MSG_AUTH_INVALID_SIGNATURE') {
      return said('another server issued it, or this one before a restart without a state directory');
    }
    if (error.label === 'MSG_AUTH_EXPIRED')
      return said(`${this.#ago(text)}get a new one with msg tokens mgmt`);
    return error.asBearer();
  }

  /** How long ago an expired token ended, whose signature is valid. */
  #ago(text: string): string {
    const claims: unknown = JSON.parse(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString('utf8'));
    const exp = isRecord(claims) ? Number(claims['exp']) : Number.NaN;
    const minutes = Math.floor((this.#options.clock.now() / 1000 - exp) / 60);
    if (Number.isNaN(minutes)) return '';
    return minutes < 60 ? `${minutes} min ago; ` : `${Math.floor(minutes / 60)} h ago; `;
  }

  #requireCalm(address: string): void {
    const refusals = this.#refusals.get(address);
    if (refusals === undefined) return;
    const waitMs = refusals.since + MINUTE_MS - this.#options.clock.monotonic();
    if (waitMs <= 0) this.#refusals.delete(address);
    else if (refusals.count >= REFUSALS)
      throw new MsgError(
        'MSG_RATE_LIMITED',
        `${REFUSALS} sign-ins from ${address} were refused in a minute`,
        {
          retryAfterMs: waitMs,
        },
      );
  }

  #refused(address: string): void {
    const refusals = this.#refusals.get(address);
    if (refusals !== undefined) {
      refusals.count++;
      return;
    }
    this.#refusals.set(address, { since: this.#options.clock.monotonic(), count: 1 });
    const [oldest] = this.#refusals.keys();
    if (this.#refusals.size > CAPACITY && oldest !== undefined) this.#refusals.delete(oldest);
  }
}

function mismatch(got: string): InvalidTokenError {
  const text = `token type mismatch: got ${got}, and signing in needs a management token (msg tokens mgmt)`;
  return new InvalidTokenError('MSG_AUTH_TYPE_MISMATCH', undefined, true, text);
}
