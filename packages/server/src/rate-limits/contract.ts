import type { RateLimit } from './limit.ts';

/** Answer of a limiter. */
export interface RateDecision {
  /** How many of the events were accepted. */
  readonly accepted: number;
  /** Milliseconds until one more could be accepted; 0 when all were. */
  readonly retryAfterMs: number;
}

/**
 * A sliding-window log of accepted events per (bucket, subject). Deciding and recording is one atomic step, also between
 * nodes; refused events are not recorded. Windows do not depend on the wall clocks of nodes. Source: messaging details,
 * section 13.
 */
export interface RateLimiter {
  /** Accepts as many of `count` events as every limit allows. All limits have a rate above 0. */
  take(bucket: string, subject: string, limits: readonly RateLimit[], count: number): Promise<RateDecision>;
}
