import type { Expiry } from '@msg/engine';

/** Announced as a ttl of one second, the shortest there is. */
export const inOneSecond = (clientRefresh = true): Expiry => ({ at: Date.now() + 1000, clientRefresh });

/** Announced as a ttl of ten seconds. */
export const inTenSeconds = (): Expiry => ({ at: Date.now() + 10_500, clientRefresh: true });

/** Hands out tokens `prefix-1`, `prefix-2` …, and fails after the first `limit`. */
export function tokens(
  prefix: string,
  limit = Number.POSITIVE_INFINITY,
): { (): Promise<string>; count: number } {
  const next = async (): Promise<string> => {
    if (next.count >= limit) throw new Error('no more tokens');
    return `${prefix}-${++next.count}`;
  };
  next.count = 0;
  return next;
}
