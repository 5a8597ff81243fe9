import type { Role, Verb } from '@msg/core';
import { defined } from '@msg/foundation/json';
import type { RateLimit } from '../../rate-limits/limit.ts';
import { VerifiedToken } from '../tokens/claims.ts';

/** The rights of a key in the channels of a pattern. */
export interface ApiKeyGrant {
  /** Scope pattern: `public:app.**`. */
  readonly pattern: string;
  /** At least one. */
  readonly verbs: readonly Verb[];
}

/** One secret of a key: its digest. */
export interface ApiKeySecret {
  /** The id in the text of a generated key; empty for other keys. */
  readonly id: string;
  /** SHA-256 of the key, 64 hexadecimal digits. */
  readonly sha256: string;
  /** End of the secret, Unix milliseconds; absent: with its key. */
  readonly expiresAtMs?: number;
}

/** A key. Calls with one of its secrets have the subject `key:<name>`. */
export interface ApiKeyRecord {
  readonly name: string;
  /** The methods that calls with the key may use. */
  readonly role: Role;
  /** Empty: every channel. */
  readonly grants: readonly ApiKeyGrant[];
  /** End of the key, Unix milliseconds; absent: never. */
  readonly expiresAtMs?: number;
  /** Tightens the `publish` bucket. */
  readonly rate?: Pick<RateLimit, 'rate' | 'perMs'>;
  /** At most three, the oldest first. */
  readonly secrets: readonly ApiKeySecret[];
}

/** The role of a key without another. */
export const DEFAULT_ROLE = 'admin';

const NANOS_PER_MS = 1e6;
/** The end of a key without one: the last second of the year 9999. */
export const FAR_FUTURE_S = 253_402_300_799;

/** The subject of calls with a key of that name. */
function subjectOf(name: string): string {
  return `key:${name}`;
}

/** Whether a bearer comes from an API key, not from a signed token. */
export function isKeyBearer({ kid }: VerifiedToken): boolean {
  return kid === '';
}

/**
 * The management bearer of a key: rights, rate limits and logs treat it like a verified token. The key decides when it
 * ends, not these claims.
 */
export function bearerOf({ name, role, grants, rate, expiresAtMs }: ApiKeyRecord): VerifiedToken {
  const scopes = grants.map(({ pattern, verbs }) => ({ pat: pattern, v: verbs }));
  const claims = {
    sub: subjectOf(name),
    typ: 'mgmt' as const,
    iat: 0,
    exp: expiresAtMs === undefined ? FAR_FUTURE_S : Math.floor(expiresAtMs / 1000),
    ...defined({
      scopes: grants.length === 0 ? undefined : scopes,
      rl: rate && { rate: rate.rate, per: rate.perMs * NANOS_PER_MS },
    }),
  };
  return new VerifiedToken(claims, '', '', role);
}
