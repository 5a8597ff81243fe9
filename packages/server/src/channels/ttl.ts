import { MsgError, parseName } from '@msg/core';
import { formatDuration } from '@msg/core/internal';

/** Default TTL of a public channel; there is no maximum. */
export const DEFAULT_PUBLIC_TTL_MS = 30 * 60_000;
/** Default TTL of a private channel. */
const DEFAULT_PRIVATE_TTL_MS = 15 * 60_000;
export const MAX_PRIVATE_TTL_MS = 3_600_000;

/** The TTL of a request; 0 means the fallback. @throws MsgError MSG_INVALID_ARGUMENT */
export function checkedTtl(ttlMs: number, fallback: number): number {
  if (Number.isNaN(ttlMs) || ttlMs < 0) {
    throw new MsgError('MSG_INVALID_ARGUMENT', `the TTL must be 0 or more; got ${ttlMs} ms`);
  }
  return ttlMs === 0 ? fallback : ttlMs;
}

/**
 * Checks the request for a private channel before it is created.
 * @returns the TTL to use, milliseconds.
 * @throws MsgError MSG_CHANNEL_INVALID, MSG_INVALID_ARGUMENT, MSG_CHANNEL_TTL_EXCEEDS_MAX, in this order.
 */
export function checkPrivate(name: string, ttlMs = 0): number {
  if (parseName(name).visibility !== 'private') {
    throw new MsgError('MSG_CHANNEL_INVALID', `channel ${name} is public, only private channels are created`);
  }
  const ttl = checkedTtl(ttlMs, DEFAULT_PRIVATE_TTL_MS);
  if (ttl > MAX_PRIVATE_TTL_MS) {
    const limit = formatDuration(MAX_PRIVATE_TTL_MS);
    throw new MsgError('MSG_CHANNEL_TTL_EXCEEDS_MAX', `the TTL of a private channel is at most ${limit}`);
  }
  return ttl;
}
