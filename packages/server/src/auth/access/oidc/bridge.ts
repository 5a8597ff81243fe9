import type { Clock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import { decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose';
import { errorFields, type Logger } from '../../../observability/logger.ts';
import { VerifiedToken } from '../../tokens/claims.ts';
import { InvalidTokenError, type InvalidTokenReason } from '../../tokens/invalid-token.ts';
import { discoverKeySet, fetchJson } from './discovery.ts';
import { groupsOf, roleOf, scopesOf } from './grants.ts';
import { ProviderKeys } from './key-set.ts';
import { type CheckedOidc, checkOidc, type OidcOptions } from './options.ts';

/** Signatures that are accepted: public keys only, never a shared secret. */
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'];
/** How far in the future `iat` and `nbf` may lie, seconds: clocks differ, as between nodes. */
const MAX_CLOCK_SKEW_S = 30;

export interface OidcBridgeOptions {
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Accepts ID tokens of one identity provider as management bearers. Each use verifies the token with the provider's keys.
 * Source: the specification, Authentication 9; messaging details, section 9.
 */
export class OidcBridge {
  readonly #rules: CheckedOidc;
  readonly #clock: Clock;
  readonly #keys: ProviderKeys;

  private constructor(rules: CheckedOidc, clock: Clock, keys: ProviderKeys) {
    this.#rules = rules;
    this.#clock = clock;
    this.#keys = keys;
  }

  /**
   * Checks the options and discovers the provider.
   * @throws MsgError MSG_INVALID_ARGUMENT for bad options, and when the discovery fails
   */
  static async open(options: OidcOptions, { clock, logger }: OidcBridgeOptions): Promise<OidcBridge> {
    const rules = checkOidc(options);
    if (options.allowAll && (rules.grants !== null || rules.roles !== null)) {
      logger.warn({}, 'auth.oidc.allow_all is ignored: there are grants or roles');
    }
    const fetch = options.fetch ?? globalThis.fetch;
    const address = await discoverKeySet(fetch, clock, rules.issuer);
    const keys = new ProviderKeys({
      clock,
      fetchKeys: () => fetchJson(fetch, clock, address),
      onFailed: error =>
        logger.warn(errorFields(error), 'the key set of the identity provider cannot be fetched'),
    });
    return new OidcBridge(rules, clock, keys);
  }

  get issuer(): string {
    return this.#rules.issuer;
  }

  /**
   * The management bearer of an ID token; `undefined` for a text that does not name this provider as its issuer.
   * `audience` is the configured one unless another one is expected.
   * @throws InvalidTokenError for an invalid token of this provider
   */
  async verify(text: string, audience = this.#rules.audience): Promise<VerifiedToken | undefined> {
    if (!this.#isNamedBy(text)) return undefined;
    const { issuer } = this.#rules;
    const now = this.#clock.now();
    try {
      const { payload, protectedHeader } = await jwtVerify(text, this.#keys.resolve, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        requiredClaims: ['exp'],
        currentDate: new Date(now),
        clockTolerance: MAX_CLOCK_SKEW_S,
      });
      return this.#bearer(payload, protectedHeader.kid ?? '', now);
    } catch (error) {
      const label = labelOf(error);
      throw label === undefined ? error : new InvalidTokenError(label);
    }
  }

  /** Whether the text is a token that names the provider as its issuer, without verification. */
  #isNamedBy(text: string): boolean {
    try {
      return decodeJwt(text).iss === this.#rules.issuer;
    } catch {
      return false;
    }
  }

  #bearer(payload: JWTPayload, kid: string, now: number): VerifiedToken {
    const { exp = 0, iat = 0, sub = '' } = payload;
    // The clock tolerance applies to the start of a lifetime, not to its end.
    if (now > exp * 1000) throw new InvalidTokenError('MSG_AUTH_EXPIRED');
    if (iat * 1000 > now + MAX_CLOCK_SKEW_S * 1000) throw new InvalidTokenError('MSG_AUTH_NOT_YET_VALID');
    const { subjectClaim, scopesClaim, grants, roles } = this.#rules;
    const subject = payload[subjectClaim];
    const groups = groupsOf(payload[scopesClaim]);
    const scopes = grants === null ? undefined : scopesOf(groups, grants);
    return new VerifiedToken(
      {
        sub: typeof subject === 'string' && subject !== '' ? subject : sub,
        typ: 'mgmt',
        // Present even when empty: the bearer is then known and has no rights.
        ...defined({ scopes }),
        iat,
        exp,
      },
      kid,
      '',
      roles === null ? 'admin' : roleOf(groups, roles),
    );
  }
}

/** The reason why a token of the provider is invalid; `undefined` for any other failure. */
function labelOf(error: unknown): InvalidTokenReason | undefined {
  if (error instanceof InvalidTokenError) return error.label;
  if (error instanceof errors.JWTExpired) return 'MSG_AUTH_EXPIRED';
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.reason === 'missing' || error.reason === 'invalid') return 'MSG_AUTH_MALFORMED';
    return error.claim === 'nbf' || error.claim === 'iat' ? 'MSG_AUTH_NOT_YET_VALID' : 'MSG_AUTH_DENIED';
  }
  if (error instanceof errors.JOSEAlgNotAllowed) return 'MSG_AUTH_UNSUPPORTED_ALG';
  if (error instanceof errors.JWSSignatureVerificationFailed || error instanceof errors.JWKSNoMatchingKey)
    return 'MSG_AUTH_INVALID_SIGNATURE';
  return error instanceof errors.JOSEError || error instanceof TypeError ? 'MSG_AUTH_MALFORMED' : undefined;
}
