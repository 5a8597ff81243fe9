import type { RateLimit } from './limit.ts';

/** Answer of a limiter. */
export interface RateVerdict {
  readonly allowed: boolean;
  /** When refused: milliseconds until the same event could be accepted. */
  readonly retryAfterMs: number;
}

/**
 * A sliding-window log of accepted events per (bucket, subject). Deciding and recording is one atomic step, also
 * between nodes; refused events are not recorded. Windows are measured by a time that the clock of a node does not set. Source: messaging details, section 13.
 */
export interface RateLimiter {
  /** Accepts the event when every limit allows it. All limits have a rate above 0. */
  take(bucket: string, subject: string, limits: readonly RateLimit[]): Promise<RateVerdict>;
}
