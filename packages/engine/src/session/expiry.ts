import { MAX_TTL_SECONDS } from '../limits.ts';
import type { Expiry } from '../policy.ts';

/**
 * The members `expires` and `ttl` of a result, present only when the client refreshes. `ttl` is in whole seconds, at
 * least 1 (client protocol 6.4).
 */
export function announcedExpiry(
  expiry: Expiry | null | undefined,
  now: number,
): { expires: true; ttl: number } | Record<never, never> {
  if (expiry?.clientRefresh !== true) return {};
  const seconds = Math.floor((expiry.at - now) / 1000);
  return { expires: true, ttl: Math.min(MAX_TTL_SECONDS, Math.max(1, seconds)) };
}
