import { formatDuration, MsgError, type ScopeClaim } from '@msg/core';
import type { Clock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import type { TokenClaims } from './claims.ts';
import type { TokenSigner } from './signer.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
export const DEFAULT_ACCESS_TTL_MS = 5 * MINUTE_MS;
const MIN_ACCESS_TTL_MS = MINUTE_MS;
const MAX_ACCESS_TTL_MS = HOUR_MS;
/** No refresh token lives longer, whatever is configured. */
export const MAX_REFRESH_TTL_MS = HOUR_MS;

/** An access and a refresh token that belong together. Expiries are Unix seconds. */
export interface TokenPair {
  readonly accessToken: string;
  readonly accessExpiresUnix: number;
  readonly refreshToken: string;
  readonly refreshExpiresUnix: number;
}

/** Whom and what a pair is for. */
export interface PairGrant {
  readonly channel: string;
  /** `sub`; omitted from the token when empty. */
  readonly subject: string;
  readonly scopes: readonly ScopeClaim[];
  readonly channelTtlMs: number;
}

export interface PairIssuerOptions {
  readonly signer: TokenSigner;
  readonly clock: Clock;
  readonly accessTtlMs: number;
  readonly maxRefreshTtlMs: number;
}

/** Issues access and refresh tokens with the lifetimes of messaging details 6.3. */
export class PairIssuer {
  readonly #signer: TokenSigner;
  readonly #clock: Clock;
  readonly #accessTtlMs: number;
  readonly #maxRefreshTtlMs: number;

  constructor(options: PairIssuerOptions) {
    this.#signer = options.signer;
    this.#clock = options.clock;
    this.#accessTtlMs = options.accessTtlMs;
    this.#maxRefreshTtlMs = options.maxRefreshTtlMs;
  }

  /** The first pair of a new family. @throws MsgError MSG_INVALID_ARGUMENT for an access TTL outside 1 min … 1 h. */
  first(grant: PairGrant): TokenPair {
    const refreshTtl = this.#refreshTtl(grant.channelTtlMs);
    // Never below a minute, so for a channel TTL under a minute it may outlive the refresh token.
    const accessTtl = Math.max(Math.min(this.#checkedAccessTtl(), refreshTtl), MIN_ACCESS_TTL_MS);
    const now = this.#now();
    return this.#sign(grant, this.#signer.newId(), now, now + seconds(accessTtl), now + seconds(refreshTtl));
  }

  /**
   * The next pair of a family: the access token does not outlive the refresh token that was presented.
   * @param presentedExp expiry of that token, Unix seconds
   */
  next(grant: PairGrant, family: string, presentedExp: number): TokenPair {
    const now = this.#now();
    const accessExp = Math.min(now + seconds(this.#checkedAccessTtl()), presentedExp);
    return this.#sign(grant, family, now, accessExp, now + seconds(this.#refreshTtl(grant.channelTtlMs)));
  }

  /** An access token alone, not outliving `latestExp` (Unix seconds). */
  accessOnly(grant: PairGrant, latestExp: number): { readonly token: string; readonly expiresUnix: number } {
    const now = this.#now();
    const exp = Math.min(now + seconds(this.#checkedAccessTtl()), latestExp);
    return { token: this.#access(grant, now, exp), expiresUnix: exp };
  }

  #now(): number {
    return Math.floor(this.#clock.now() / 1000);
  }

  #refreshTtl(channelTtlMs: number): number {
    return Math.min(channelTtlMs, this.#maxRefreshTtlMs, MAX_REFRESH_TTL_MS);
  }

  #checkedAccessTtl(): number {
    const ttl = this.#accessTtlMs;
    if (ttl >= MIN_ACCESS_TTL_MS && ttl <= MAX_ACCESS_TTL_MS) return ttl;
    const range = `${formatDuration(MIN_ACCESS_TTL_MS)} to ${formatDuration(MAX_ACCESS_TTL_MS)}`;
    throw new MsgError('MSG_INVALID_ARGUMENT', `the access token TTL must be ${range}`);
  }

  #claims(grant: PairGrant, typ: TokenClaims['typ'], iat: number, exp: number): TokenClaims {
    return {
      ...defined({ sub: grant.subject === '' ? undefined : grant.subject }),
      typ,
      chs: [grant.channel],
      iat,
      exp,
      ...defined({ scopes: grant.scopes.length === 0 ? undefined : grant.scopes }),
      jti: this.#signer.newId(),
    };
  }

  #access(grant: PairGrant, iat: number, exp: number): string {
    return this.#signer.sign(this.#claims(grant, 'access', iat, exp)).token;
  }

  #sign(grant: PairGrant, fid: string, iat: number, accessExp: number, refreshExp: number): TokenPair {
    const refresh = { ...this.#claims(grant, 'refresh', iat, refreshExp), fid };
    return {
      accessToken: this.#access(grant, iat, accessExp),
      accessExpiresUnix: accessExp,
      refreshToken: this.#signer.sign(refresh).token,
      refreshExpiresUnix: refreshExp,
    };
  }
}

function seconds(ms: number): number {
  return Math.max(1, Math.round(ms / 1000));
}
