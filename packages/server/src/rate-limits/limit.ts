import { MsgError } from '@msg/core';
import type { RateClaim } from '../auth/tokens/claims.ts';

/** At most `max(rate, burst)` accepted events in any window of `perMs`. `rate` 0 or less: unlimited. */
export interface RateLimit {
  readonly rate: number;
  /** Length of the window, milliseconds. */
  readonly perMs: number;
  /** 0 means as many as `rate`. */
  readonly burst: number;
}

export const UNLIMITED: RateLimit = { rate: 0, perMs: 0, burst: 0 };

/** Number of events that a window accepts. */
export function capacity({ rate, burst }: RateLimit): number {
  return Math.max(1, Math.floor(Math.max(rate, burst)));
}

export function isLimited({ rate }: RateLimit): boolean {
  return rate > 0;
}

/** The limit of a token's `rl` claim, whose window is in nanoseconds. */
export function claimedLimit(claim: RateClaim | undefined): RateLimit {
  if (claim === undefined) return UNLIMITED;
  return { rate: claim.rate, perMs: claim.per / 1e6, burst: claim.burst ?? 0 };
}

/** @throws MsgError MSG_INVALID_ARGUMENT when a limited bucket has no window. */
export function requireWindow(bucket: string, limit: RateLimit): RateLimit {
  if (!isLimited(limit) || limit.perMs > 0) return limit;
  throw new MsgError('MSG_INVALID_ARGUMENT', `rate_limits.${bucket}.per: is required when rate is set`);
}
