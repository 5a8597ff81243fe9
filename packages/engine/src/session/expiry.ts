import { MAX_TTL_SECONDS } from '../limits.ts';

/** The `ttl` announced to a client: whole seconds until `at`, at least 1 (client protocol 6.4). */
export function secondsUntil(at: number, now: number): number {
  return Math.min(MAX_TTL_SECONDS, Math.max(1, Math.floor((at - now) / 1000)));
}
