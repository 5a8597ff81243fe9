import { type Credentials, MsgError, type ScopeClaim } from '@msg/core';
import type { Clock } from '@msg/foundation/clock';
import { credentialsOf } from './credentials.ts';
import type { PairIssuer, TokenPair } from './issuer.ts';
import { type ScopeRequest, scopeClaim } from './scope-request.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
export const DEFAULT_MAX_SESSION_TTL_MS = 30 * DAY_MS;
const DEFAULT_SESSION_TTL_MS = DAY_MS;
const MIN_SESSION_TTL_MS = MINUTE_MS;
const MAX_SCOPES = 64;
const MAX_SUBJECT_BYTES = 255;
/** A token travels in headers and in the frames of clients. */
const MAX_TOKEN_BYTES = 8192;

/** A request for tokens: subject, scopes and lifetimes. */
export interface IssueAccessRequest {
  /** `sub` of the tokens, typically a user id: 1 to 255 bytes. */
  readonly subject: string;
  /** The scopes that the tokens allow and deny: 1 to 64. */
  readonly scopes: readonly ScopeRequest[];
  /** Lifetime of the access token in milliseconds, clamped to 1 min … 1 h; 0 or absent: as configured. */
  readonly ttlMs?: number;
  /** Whether to issue a refresh token too; default true. */
  readonly refresh?: boolean;
  /** How long the session can be refreshed, in milliseconds; 0 or absent: a day. */
  readonly sessionTtlMs?: number;
  /** Scopes may grant `manage`, which users of an application seldom need; default false. */
  readonly allowManage?: boolean;
}

export interface AccessIssuerOptions {
  readonly issuer: PairIssuer;
  readonly clock: Clock;
  readonly maxSessionTtlMs: number;
}

/** Issues tokens by scopes, which belong to no channel. Source: app-developers 5. */
export class AccessIssuer {
  readonly #options: AccessIssuerOptions;

  constructor(options: AccessIssuerOptions) {
    this.#options = options;
  }

  /** The tokens of a new session; `name` is empty. @throws MsgError MSG_INVALID_ARGUMENT */
  issue(request: IssueAccessRequest): Credentials {
    const { subject, ttlMs = 0, refresh = true } = request;
    requireSubject(subject);
    const scopes = checkedScopes(request);
    if (ttlMs < 0) throw invalid(`ttl_seconds must be 0 or more; got ${ttlMs / 1000}`);
    const sessionTtlMs = this.#sessionTtl(request.sessionTtlMs ?? 0);
    const accessTtlMs = ttlMs === 0 ? undefined : ttlMs;
    if (!refresh) return checked(this.#accessAlone({ subject, scopes }, accessTtlMs));
    const familyEndUnix = Math.floor((this.#options.clock.now() + sessionTtlMs) / 1000);
    return checked(this.#options.issuer.first({ subject, scopes, familyEndUnix }, accessTtlMs));
  }

  #accessAlone(
    grant: { readonly subject: string; readonly scopes: readonly ScopeClaim[] },
    accessTtlMs: number | undefined,
  ): TokenPair {
    const { token, expiresUnix } = this.#options.issuer.accessOnly(grant, undefined, accessTtlMs);
    return { accessToken: token, accessExpiresUnix: expiresUnix, refreshToken: '', refreshExpiresUnix: 0 };
  }

  #sessionTtl(requestedMs: number): number {
    if (requestedMs === 0) return Math.min(DEFAULT_SESSION_TTL_MS, this.#options.maxSessionTtlMs);
    if (requestedMs >= MIN_SESSION_TTL_MS && requestedMs <= this.#options.maxSessionTtlMs) return requestedMs;
    const range = `${MIN_SESSION_TTL_MS / 1000} to ${this.#options.maxSessionTtlMs / 1000}`;
    throw invalid(
      `session_ttl_seconds must be from ${range} (auth.max_session_ttl); got ${requestedMs / 1000}`,
    );
  }
}

function invalid(text: string): MsgError {
  return new MsgError('MSG_INVALID_ARGUMENT', text);
}

function requireSubject(subject: string): void {
  const bytes = Buffer.byteLength(subject);
  if (bytes >= 1 && bytes <= MAX_SUBJECT_BYTES) return;
  throw invalid(`subject must be 1 to ${MAX_SUBJECT_BYTES} bytes; got ${bytes}`);
}

function checkedScopes({ scopes, allowManage = false }: IssueAccessRequest): readonly ScopeClaim[] {
  if (scopes.length < 1 || scopes.length > MAX_SCOPES) {
    throw invalid(`scopes must have 1 to ${MAX_SCOPES} entries; got ${scopes.length}`);
  }
  const claims = scopes.map(scopeClaim);
  const managing = claims.find(({ v, deny }) => deny !== true && v.includes('manage'));
  if (managing === undefined || allowManage) return claims;
  throw invalid(
    `scope ${managing.pat} with the verb manage needs allow_manage: it opens and deletes channels`,
  );
}

function checked(pair: TokenPair): Credentials {
  const bytes = Math.max(pair.accessToken.length, pair.refreshToken.length);
  if (bytes <= MAX_TOKEN_BYTES) return credentialsOf('', pair);
  throw invalid(
    `a token must be at most ${MAX_TOKEN_BYTES} bytes; got ${bytes}: ask for fewer or wider scopes`,
  );
}
