import type { SubsystemStates } from '../stores/subsystem-state.ts';

/** A node as operators see it. */
export interface NodeRow {
  readonly id: string;
  readonly version: string;
  readonly runtime: string;
  readonly region: string;
  readonly started_at: string;
  readonly ready: boolean;
  readonly phase: string;
  readonly subsystems: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[];
  readonly connections: number;
  readonly users: number;
  readonly subscriptions: number;
  readonly channels: number;
  readonly queue_bytes: number;
  readonly publishes: number;
  readonly deliveries: number;
  readonly bytes_in: number;
  readonly bytes_out: number;
  readonly slow_consumers: number;
  readonly recovered: number;
  readonly unrecovered: number;
  readonly rates: NodeRates;
  readonly limits: readonly LimitDecisions[];
  readonly sinks: readonly SinkAttempts[];
  readonly loop_lag_p99_ms: number;
  readonly cpu_percent: number;
  readonly rss_bytes: number;
  readonly heap_bytes: number;
  readonly open_fds: number;
  readonly max_fds: number;
  readonly clock_offset_ms: number;
  readonly store_ping_ms: number;
}

/** Per second, over the last `seconds`. */
export interface NodeRates {
  readonly seconds: number;
  readonly publishes: number;
  readonly deliveries: number;
  readonly bytes_in: number;
  readonly bytes_out: number;
}

/** What a bucket of the rate limits decided in the last minute. */
export interface LimitDecisions {
  readonly bucket: string;
  readonly allowed: number;
  readonly denied: number;
}

/** Sends to a sink by result: since the start, and in the last minute. */
export interface SinkAttempts {
  readonly sink: string;
  readonly success: number;
  readonly failure: number;
  readonly recent_success: number;
  readonly recent_failure: number;
}

/** How far a start has come, and whether clients are served correctly now. */
export interface NodeHealth {
  readonly ready: boolean;
  readonly phase: string;
  readonly subsystems: SubsystemStates;
}
