import { MsgError, type ScopeClaim } from '@msg/core';
import { formatDuration } from '@msg/core/internal';
import type { Clock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import type { TokenClaims } from './claims.ts';
import type { TokenSigner } from './signer.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
export const DEFAULT_ACCESS_TTL_MS = 5 * MINUTE_MS;
const MIN_ACCESS_TTL_MS = MINUTE_MS;
const MAX_ACCESS_TTL_MS = HOUR_MS;
/** Maximum lifetime of a refresh token, whatever is configured. */
export const MAX_REFRESH_TTL_MS = HOUR_MS;

/** An access and a refresh token that belong together. Expiries are Unix seconds. */
export interface TokenPair {
  readonly accessToken: string;
  readonly accessExpiresUnix: number;
  readonly refreshToken: string;
  readonly refreshExpiresUnix: number;
}

/** Subject and scopes of a pair, and the bounds of its refresh token besides the configured maximum. */
export interface PairGrant {
  /** The one channel that the tokens name; absent: they grant only their scopes. */
  readonly channel?: string;
  /** `sub`; omitted from the token when empty. */
  readonly subject: string;
  readonly scopes: readonly ScopeClaim[];
  /** Inactivity TTL of the channel. */
  readonly channelTtlMs?: number;
  /** End of the family, Unix seconds. */
  readonly familyEndUnix?: number;
}

export interface PairIssuerOptions {
  readonly signer: TokenSigner;
  readonly clock: Clock;
  readonly accessTtlMs: number;
  readonly maxRefreshTtlMs: number;
}

/** Issues access and refresh tokens with the lifetimes of messaging details 6.3. */
export class PairIssuer {
  readonly #options: PairIssuerOptions;

  constructor(options: PairIssuerOptions) {
    this.#options = options;
  }

  /**
   * The first pair of a new family.
   * @param accessTtlMs lifetime of the access token, clamped to 1 min … 1 h; absent: the configured one
   * @throws MsgError MSG_INVALID_ARGUMENT for a configured access TTL outside 1 min … 1 h.
   */
  first(grant: PairGrant, accessTtlMs?: number): TokenPair {
    const now = this.#now();
    const refreshExp = this.#refreshExp(grant, now);
    // At least a minute: with a channel TTL below a minute it may outlive the refresh token.
    const latestExp = Math.max(refreshExp, now + seconds(MIN_ACCESS_TTL_MS));
    const accessExp = Math.min(now + seconds(this.#accessTtl(accessTtlMs)), latestExp);
    return this.#sign(grant, this.#options.signer.newId(), now, accessExp, refreshExp);
  }

  /**
   * The next pair of a family: the access token does not outlive the presented refresh token.
   * @param presentedExp expiry of that token, Unix seconds
   */
  next(grant: PairGrant, family: string, presentedExp: number): TokenPair {
    const now = this.#now();
    const accessExp = Math.min(now + seconds(this.#accessTtl()), presentedExp);
    return this.#sign(grant, family, now, accessExp, this.#refreshExp(grant, now));
  }

  /**
   * An access token alone.
   * @param latestExp upper bound of its expiry, Unix seconds
   * @param accessTtlMs as in {@link first}
   */
  accessOnly(
    grant: PairGrant,
    latestExp = Number.POSITIVE_INFINITY,
    accessTtlMs?: number,
  ): { readonly token: string; readonly expiresUnix: number } {
    const now = this.#now();
    const exp = Math.min(now + seconds(this.#accessTtl(accessTtlMs)), latestExp);
    return { token: this.#access(grant, now, exp), expiresUnix: exp };
  }

  #now(): number {
    return Math.floor(this.#options.clock.now() / 1000);
  }

  #refreshExp({ channelTtlMs, familyEndUnix }: PairGrant, now: number): number {
    const none = Number.POSITIVE_INFINITY;
    const ttlMs = Math.min(channelTtlMs ?? none, this.#options.maxRefreshTtlMs, MAX_REFRESH_TTL_MS);
    return Math.min(now + seconds(ttlMs), familyEndUnix ?? none);
  }

  #accessTtl(requestedMs?: number): number {
    if (requestedMs !== undefined)
      return Math.min(Math.max(requestedMs, MIN_ACCESS_TTL_MS), MAX_ACCESS_TTL_MS);
    const ttl = this.#options.accessTtlMs;
    if (ttl >= MIN_ACCESS_TTL_MS && ttl <= MAX_ACCESS_TTL_MS) return ttl;
    const range = `${formatDuration(MIN_ACCESS_TTL_MS)} to ${formatDuration(MAX_ACCESS_TTL_MS)}`;
    throw new MsgError('MSG_INVALID_ARGUMENT', `the access token TTL must be ${range}`);
  }

  #claims(grant: PairGrant, typ: TokenClaims['typ'], iat: number, exp: number): TokenClaims {
    return {
      ...defined({ sub: grant.subject === '' ? undefined : grant.subject }),
      typ,
      ...defined({ chs: grant.channel === undefined ? undefined : [grant.channel] }),
      iat,
      exp,
      ...defined({ scopes: grant.scopes.length === 0 ? undefined : grant.scopes }),
      jti: this.#options.signer.newId(),
    };
  }

  #access(grant: PairGrant, iat: number, exp: number): string {
    return this.#options.signer.sign(this.#claims(grant, 'access', iat, exp)).token;
  }

  #sign(grant: PairGrant, fid: string, iat: number, accessExp: number, refreshExp: number): TokenPair {
    const family = defined({ fid, fex: grant.familyEndUnix });
    const refresh = { ...this.#claims(grant, 'refresh', iat, refreshExp), ...family };
    return {
      accessToken: this.#access(grant, iat, accessExp),
      accessExpiresUnix: accessExp,
      refreshToken: this.#options.signer.sign(refresh).token,
      refreshExpiresUnix: refreshExp,
    };
  }
}

function seconds(ms: number): number {
  return Math.max(1, Math.round(ms / 1000));
}
