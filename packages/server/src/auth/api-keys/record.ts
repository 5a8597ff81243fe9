import type { Verb } from '@msg/core';
import { defined } from '@msg/foundation/json';
import type { RateLimit } from '../../rate-limits/limit.ts';
import { VerifiedToken } from '../tokens/claims.ts';

/** What a key may do in the channels of a pattern. */
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
  /** When it ends, Unix milliseconds; absent: with its key. */
  readonly expiresAtMs?: number;
}

/** A key: who presents one of its secrets calls as `key:<name>`. */
export interface ApiKeyRecord {
  readonly name: string;
  /** None: everything that a full management bearer may do. */
  readonly grants: readonly ApiKeyGrant[];
  /** When it ends, Unix milliseconds; absent: never. */
  readonly expiresAtMs?: number;
  /** Tightens the `publish` bucket. */
  readonly rate?: Pick<RateLimit, 'rate' | 'perMs'>;
  /** At most three, the oldest first. */
  readonly secrets: readonly ApiKeySecret[];
}

/** The only role until there are others. */
export const ADMIN_ROLE = 'admin';

const NANOS_PER_MS = 1e6;
/** The end of a key without one: the last second of the year 9999. */
const FAR_FUTURE_S = 253_402_300_799;

/** The subject of calls with a key of that name. */
function subjectOf(name: string): string {
  return `key:${name}`;
}

/** Whether a bearer stands for a key: no signing key made it. */
export function isKeyBearer({ kid }: VerifiedToken): boolean {
  return kid === '';
}

/**
 * The management bearer that a key stands for: rights, rate limits and logs take it like a token that was verified. When
 * it ends is decided by the key, not by these claims.
 */
export function bearerOf({ name, grants, rate, expiresAtMs }: ApiKeyRecord): VerifiedToken {
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
  return new VerifiedToken(claims, '', '');
}
