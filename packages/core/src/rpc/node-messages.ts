import { anyJson, decimal, flag, int32, int64, list, message, text } from '@msg/foundation/shape';
import { missingNode } from './messages.ts';

// Messages of nodes and of the running configuration (console, section 7). Member names are the wire's.

const nodeRow = message({
  id: text,
  version: text,
  /** `node v24.1.0`. */
  runtime: text,
  region: text,
  /** RFC 3339. */
  started_at: text,
  /** Clients are served correctly now. */
  ready: flag,
  /** `starting`, `running` or `draining`. */
  phase: text,
  subsystems: list(message({ name: text, ok: flag, detail: text })),
  connections: int32,
  /** Users with connections on the node. */
  users: int32,
  subscriptions: int32,
  /** Channels with a subscriber on the node. */
  channels: int32,
  /** Bytes that wait for slow readers. */
  queue_bytes: int64,
  /** Totals since the start, as the following seven. */
  publishes: int64,
  /** Publications queued for receivers. */
  deliveries: int64,
  bytes_in: int64,
  bytes_out: int64,
  /** Connections cut because their reader was too slow. */
  slow_consumers: int64,
  /** Subscribes that asked for recovery, by outcome. */
  recovered: int64,
  unrecovered: int64,
  /** Per second, over the last `seconds`; 0 of all in the first answer. */
  rates: message({
    /** At most 60. */
    seconds: decimal,
    publishes: decimal,
    deliveries: decimal,
    bytes_in: decimal,
    bytes_out: decimal,
  }),
  /** Decisions of rate limits over the same seconds, by bucket. */
  limits: list(message({ bucket: text, allowed: int64, denied: int64 })),
  /** Sends to sinks since the start; `recent_` of them over the same seconds. */
  sinks: list(
    message({
      sink: text,
      success: int64,
      failure: int64,
      recent_success: int64,
      recent_failure: int64,
    }),
  ),
  /** Lateness of the event loop, the 99th percentile since the last look. */
  loop_lag_p99_ms: decimal,
  /** Of one core, since the last look. */
  cpu_percent: decimal,
  rss_bytes: int64,
  heap_bytes: int64,
  /** 0 where the system does not tell. */
  open_fds: int32,
  max_fds: int32,
  /** The wall clock of the node minus that of the shared store; 0 without one. */
  clock_offset_ms: int64,
  /** Duration of a small read of the shared store; 0 without one. */
  store_ping_ms: decimal,
});

/** What a node thinks that an operator should look at. */
const hint = message({
  /** The name of an alert rule, or `msg…` for the console's own. */
  name: text,
  /** `critical`, `warning` or `info`. */
  severity: text,
  /** Since when this answering node has seen it, RFC 3339. */
  since: text,
  node: text,
  value: decimal,
  threshold: decimal,
  /** A heading of the documentation, `monitoring#msgqueuegrowing`. */
  doc: text,
});

export const listNodesResponse = message({
  nodes: list(nodeRow),
  hints: list(hint),
  missing_nodes: list(missingNode),
});

const runningSetting = message({
  /** Key path in the configuration file. */
  key: text,
  /** Secrets are absent. */
  value: anyJson,
  /** `flag`, `env`, `file`, `default`, or `embedder`. */
  source: text,
  default: anyJson,
  secret: flag,
  /** The value is neither empty nor off. */
  is_set: flag,
  help: text,
});
export const configResponse = message({
  settings: list(runningSetting),
  /** Path of the configuration file; empty without one. */
  config_source: text,
});
