import type { Role, ScopeClaim } from '@msg/core';
import { compileGrants, type Grants, isRole } from '@msg/core/internal';
import { isRecord } from '@msg/foundation/json';

/** Kinds of tokens, the `typ` claim. */
export type TokenType = 'access' | 'refresh' | 'mgmt';

export function isTokenType(value: unknown): value is TokenType {
  return value === 'access' || value === 'refresh' || value === 'mgmt';
}

/** The `rl` claim: a rate limit of this token's subject. */
export interface RateClaim {
  readonly rate: number;
  /** Window in nanoseconds. */
  readonly per: number;
  readonly burst?: number;
}

/** Claims of all kinds of tokens, in the order in which they are written (messaging details 6.1). */
export interface TokenClaims {
  readonly sub?: string;
  readonly typ: TokenType;
  readonly chs?: readonly string[];
  readonly scopes?: readonly ScopeClaim[];
  /** Unix seconds. */
  readonly iat: number;
  /** Unix seconds. */
  readonly exp: number;
  /** Of a management token: the methods that it opens; absent: `admin`. */
  readonly role?: Role;
  readonly jti?: string;
  /** Refresh family. */
  readonly fid?: string;
  /** End of the refresh family, Unix seconds; only in tokens that belong to no channel. */
  readonly fex?: number;
  readonly rl?: RateClaim;
}

/** A token with a verified signature; its text is not kept. */
export class VerifiedToken {
  readonly claims: TokenClaims;
  /** Key that signed it, with that key's fingerprint. */
  readonly kid: string;
  readonly fingerprint: string;
  /** Role of a management bearer; `none`: it is known and may do nothing. */
  readonly role: Role | 'none';
  /** When it last verified, Unix milliseconds; 0: not yet. */
  seenAt = 0;
  /** Hash of the text of a management bearer that is a token; `''` for any other. */
  digest = '';
  #grants: Grants | undefined;

  /** @param role absent: the one of the claims, else `admin` */
  constructor(claims: TokenClaims, kid: string, fingerprint: string, role?: Role | 'none') {
    this.claims = claims;
    this.kid = kid;
    this.fingerprint = fingerprint;
    this.role = role ?? claims.role ?? 'admin';
  }

  /** `sub`, `''` when absent. */
  get subject(): string {
    return this.claims.sub ?? '';
  }

  /** Unix milliseconds. */
  get expiresAt(): number {
    return this.claims.exp * 1000;
  }

  /** The grants, compiled on first use. */
  get grants(): Grants {
    this.#grants ??= compileGrants(this.claims);
    return this.#grants;
  }
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(item => typeof item === 'string');
}

function isScope(value: unknown): value is ScopeClaim {
  if (!isRecord(value)) return false;
  const deny = value['deny'];
  return (
    typeof value['pat'] === 'string' &&
    isStrings(value['v']) &&
    (deny === undefined || typeof deny === 'boolean')
  );
}

function isRate(value: unknown): value is RateClaim {
  if (!isRecord(value)) return false;
  const burst = value['burst'];
  return (
    Number.isFinite(value['rate']) &&
    Number.isFinite(value['per']) &&
    (burst === undefined || Number.isFinite(burst))
  );
}

/** Other types of tokens have no role: an unknown claim is ignored there. */
function isRoleOrAbsent({ typ, role }: Readonly<Record<string, unknown>>): boolean {
  return typ !== 'mgmt' || role === undefined || isRole(role);
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

/**
 * The claims of a payload, or `undefined` when a known claim has a wrong type or a required one is missing.
 * Unknown claims are ignored. `typ` may be any text here; the caller compares it.
 */
export function readClaims(payload: unknown): TokenClaims | undefined {
  if (!isRecord(payload)) return undefined;
  const wellFormed =
    isTextOrAbsent(payload['sub']) &&
    isTextOrAbsent(payload['jti']) &&
    isTextOrAbsent(payload['fid']) &&
    typeof payload['typ'] === 'string' &&
    Number.isFinite(payload['exp']) &&
    (payload['fex'] === undefined || Number.isFinite(payload['fex'])) &&
    Number.isFinite(payload['iat'] ?? 0) &&
    (payload['chs'] === undefined || isStrings(payload['chs'])) &&
    (payload['scopes'] === undefined ||
      (Array.isArray(payload['scopes']) && payload['scopes'].every(isScope))) &&
    (payload['rl'] === undefined || isRate(payload['rl'])) &&
    isRoleOrAbsent(payload);
  if (!wellFormed) return undefined;
  // Every member of the type was checked above; an absent `iat` counts as 0.
  return { ...payload, iat: payload['iat'] ?? 0 } as unknown as TokenClaims;
}
