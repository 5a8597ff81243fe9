import type { ScopeClaim } from '@msg/core';
import { compileGrants, type Grants } from '@msg/core/internal';
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
  #grants: Grants | undefined;

  constructor(claims: TokenClaims, kid: string, fingerprint: string) {
    this.claims = claims;
    this.kid = kid;
    this.fingerprint = fingerprint;
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
    (payload['rl'] === undefined || isRate(payload['rl']));
  if (!wellFormed) return undefined;
  // Every member of the type was checked above; an absent `iat` counts as 0.
  return { ...payload, iat: payload['iat'] ?? 0 } as unknown as TokenClaims;
}
