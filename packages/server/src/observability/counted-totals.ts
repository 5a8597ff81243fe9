/** Sums of counters since the start. */
export interface CountedTotals {
  readonly publishes: number;
  readonly publishFailures: number;
  /** Answers with a status of 500 or above. */
  readonly serverErrors: number;
  readonly sinkAttempts: number;
  readonly sinkFailures: number;
  /** Refresh tokens that were presented again. */
  readonly reusedRefreshTokens: number;
  readonly auditFailures: number;
  /** Jobs of dead letters that failures in a row ended. */
  readonly trippedJobs: number;
}

/** How often things ended in each of two ways since the start, by name. */
export interface CountedOutcomes {
  /** Decisions of rate limits by bucket: allowed, denied. */
  readonly limits: ReadonlyMap<string, readonly [allowed: number, denied: number]>;
  /** Sends by sink: succeeded, failed. */
  readonly sinks: ReadonlyMap<string, readonly [success: number, failure: number]>;
}
