import type { Random } from '@msg/foundation/clock';

/** The attempts of a sink and their times. Durations are milliseconds; absent and 0 members are inherited. */
export interface RetrySettings {
  /** Number of attempts; default 5, 1 means no retry. */
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
  /** Settings by sink name; unset members are inherited from the general settings. */
  readonly perSink?: Readonly<Record<string, RetrySettings>>;
}

/** Retry settings with all members resolved. */
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

/** The policy of one sink; without a name, the general policy. */
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
