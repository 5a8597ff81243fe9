/** What a node counted since its start. Plain integers, which only grow. */
export interface NodeTotals {
  readonly publishes: number;
  readonly publishFailures: number;
  readonly deliveries: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly slowConsumers: number;
  readonly insufficientStates: number;
  readonly recovered: number;
  readonly unrecovered: number;
  readonly serverErrors: number;
  readonly sinkAttempts: number;
  readonly sinkFailures: number;
  readonly reusedRefreshTokens: number;
  readonly auditFailures: number;
  readonly trippedJobs: number;
  readonly apiCommands: number;
  readonly apiFailures: number;
}

/** How often something ended in each of two ways: allowed and denied, success and failure. */
export type Outcomes = readonly [good: number, bad: number];

/** What a node counted since its start, by name. */
export interface NamedTotals {
  /** Decisions of rate limits by bucket. */
  readonly limits: ReadonlyMap<string, Outcomes>;
  /** Sends by sink. */
  readonly sinks: ReadonlyMap<string, Outcomes>;
}

/** The last minute of a node, or what is known of it. */
export interface Minute {
  /** 0: nothing is known yet. */
  readonly seconds: number;
  /** What was counted in it. */
  readonly counted: NodeTotals;
  readonly named: NamedTotals;
  /** The worst 99th percentile of the event loop's lateness, of each two seconds. */
  readonly lagMs: number;
  /** Of one core. */
  readonly cpuPercent: number;
}
