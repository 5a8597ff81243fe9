import type { Random } from '@msg/foundation/clock';

/** How often and when a sink is tried. Durations are milliseconds; members that are absent or 0 are inherited. */
export interface RetrySettings {
  /** Sends in all; default 5, 1 means no retry. */
  readonly maxAttempts?: number;
  /** Wait before the second attempt; default 1 s. */
  readonly baseBackoff?: number;
  /** Longest wait before jitter; default 30 s, never below `baseBackoff`. */
  readonly maxBackoff?: number;
  /** Part of a wait that is random, 0 to 1; default 0.2, below 0 means none. */
  readonly jitterFraction?: number;
}

/** The retry settings of a service. Source: messaging details 12.2 and 17, `sink_retry`. */
export interface SinkRetryOptions extends RetrySettings {
  /** By sink name; what a sink does not set is inherited from the others. */
  readonly perSink?: Readonly<Record<string, RetrySettings>>;
}

/** Settings with nothing left open. */
export type RetryPolicy = Readonly<Required<RetrySettings>>;

const DEFAULTS: RetryPolicy = {
  maxAttempts: 5,
  baseBackoff: 1000,
  maxBackoff: 30_000,
  jitterFraction: 0.2,
};

function positive(value: number | undefined, inherited: number): number {
  return value !== undefined && value > 0 ? value : inherited;
}

function inherit(settings: RetrySettings, parent: RetryPolicy): RetryPolicy {
  const { jitterFraction } = settings;
  return {
    maxAttempts: Math.ceil(positive(settings.maxAttempts, parent.maxAttempts)),
    baseBackoff: positive(settings.baseBackoff, parent.baseBackoff),
    maxBackoff: positive(settings.maxBackoff, parent.maxBackoff),
    jitterFraction: jitterFraction === undefined || !jitterFraction ? parent.jitterFraction : jitterFraction,
  };
}

/** The policy of one sink; without a name, the one that all others start from. */
export function retryPolicy(options: SinkRetryOptions, sink?: string): RetryPolicy {
  const global = inherit(options, DEFAULTS);
  const { perSink = {} } = options;
  const sinkPolicy = sink !== undefined && Object.hasOwn(perSink, sink) ? perSink[sink] : undefined;
  const { maxAttempts, baseBackoff, maxBackoff, jitterFraction } = inherit(sinkPolicy ?? {}, global);
  return {
    maxAttempts,
    baseBackoff,
    maxBackoff: Math.max(baseBackoff, maxBackoff),
    jitterFraction: Math.min(1, Math.max(0, jitterFraction)),
  };
}

/**
 * Milliseconds to wait before attempt `n`, 2 or more: the base doubled with each attempt, capped, times a uniform
 * factor in [1 - jitter, 1 + jitter].
 */
export function backoff(policy: RetryPolicy, n: number, random: Random): number {
  const capped = Math.min(policy.maxBackoff, policy.baseBackoff * 2 ** (n - 2));
  return capped * (1 + policy.jitterFraction * (2 * random.fraction() - 1));
}
