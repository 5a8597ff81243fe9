import { formatTimestamp } from '@msg/core/internal';
import type { RealtimeNode } from '@msg/engine';
import type { Clock } from '@msg/foundation/clock';
import { walk } from '../connections/walk.ts';
import type { StoreReading } from '../stores/contract.ts';
import { type Hint, type HintFacts, HintsSeen, hintsOf } from './hints.ts';
import type { LastMinute } from './last-minute.ts';
import { fileDescriptors } from './process-figures.ts';
import type { LimitDecisions, NodeHealth, NodeRates, NodeRow, SinkAttempts } from './row.ts';
import type { Minute, NamedTotals, NodeTotals } from './totals.ts';

/** One node's answer: its row, and what it thinks of its last minute. */
export interface NodeReport {
  readonly row: NodeRow;
  readonly hints: readonly Hint[];
}

export interface OwnNodeParts {
  readonly node: () => Pick<RealtimeNode, 'id' | 'stats' | 'connections'>;
  readonly clock: Clock;
  readonly version: string;
  readonly region: string;
  readonly totals: () => NodeTotals;
  readonly named: () => NamedTotals;
  readonly minute: LastMinute;
  /** Absent: the node has no shared store. */
  readonly readStore?: () => Promise<StoreReading>;
  /** What hints read besides. */
  readonly facts: () => Pick<
    HintFacts,
    'noAuth' | 'keyring' | 'watchUp' | 'activeKeyAgeSeconds' | 'feeds' | 'tails'
  >;
}

const STARTING: NodeHealth = { ready: false, phase: 'starting', subsystems: {} };
const NO_STORE: StoreReading = { pingMs: 0, offsetMs: 0 };

/** Two digits behind the point. */
function short(value: number): number {
  return Math.round(value * 100) / 100;
}

/** This node for operators. Source: console, section 7.5. */
export class OwnNode {
  readonly #parts: OwnNodeParts;
  readonly #startedAt: number;
  readonly #seen = new HintsSeen();
  #health: () => NodeHealth = () => STARTING;

  constructor(parts: OwnNodeParts) {
    this.#parts = parts;
    this.#startedAt = parts.clock.now();
  }

  /** Tells where the health of the node is read. */
  watchHealth(health: () => NodeHealth): void {
    this.#health = health;
  }

  /** True while clients are served correctly: what `/readyz` says. */
  get ready(): boolean {
    return this.#health().ready;
  }

  /** The row of this node, and its hints. */
  async report(): Promise<NodeReport> {
    const { minute, facts, totals, named, clock } = this.#parts;
    const last = minute.look();
    const [counts, store, files] = await Promise.all([
      this.#counts(),
      this.#parts.readStore?.().catch(() => NO_STORE) ?? NO_STORE,
      fileDescriptors(),
    ]);
    const health = this.#health();
    const row = this.#row({ last, all: totals(), named: named(), health, counts, store, files });
    const judged = hintsOf({ ...facts(), row, minute: last, health });
    return { row, hints: this.#seen.dated(judged, clock.now()) };
  }

  async #counts(): Promise<{ readonly users: number; readonly queueBytes: number }> {
    const { node, clock } = this.#parts;
    let [users, queueBytes] = [0, 0];
    await walk(clock, node().connections.users(), () => {
      users += 1;
    });
    await walk(clock, node().connections.all(), connection => {
      queueBytes += connection.queueBytes;
    });
    return { users, queueBytes };
  }

  #row({ last, all, named, health, counts, store, files }: RowParts): NodeRow {
    const { node, version, region } = this.#parts;
    const { connections, subscriptions, channels } = node().stats();
    const { rss, heapUsed } = process.memoryUsage();
    return {
      id: node().id,
      version,
      runtime: `node ${process.version}`,
      region,
      started_at: formatTimestamp(this.#startedAt),
      ready: health.ready,
      phase: health.phase,
      subsystems: Object.entries(health.subsystems).map(([name, { ok, detail = '' }]) => ({
        name,
        ok,
        detail,
      })),
      connections,
      users: counts.users,
      subscriptions,
      channels,
      queue_bytes: counts.queueBytes,
      publishes: all.publishes,
      deliveries: all.deliveries,
      bytes_in: all.bytesIn,
      bytes_out: all.bytesOut,
      slow_consumers: all.slowConsumers,
      recovered: all.recovered,
      unrecovered: all.unrecovered,
      rates: ratesOf(last),
      limits: limitsOf(last),
      sinks: sinksOf(named, last),
      loop_lag_p99_ms: short(last.lagMs),
      cpu_percent: short(last.cpuPercent),
      rss_bytes: rss,
      heap_bytes: heapUsed,
      open_fds: files.open,
      max_fds: files.most,
      clock_offset_ms: Math.round(store.offsetMs),
      store_ping_ms: short(store.pingMs),
    };
  }
}

interface RowParts {
  readonly last: Minute;
  readonly all: NodeTotals;
  readonly named: NamedTotals;
  readonly health: NodeHealth;
  readonly counts: { readonly users: number; readonly queueBytes: number };
  readonly store: StoreReading;
  readonly files: { readonly open: number; readonly most: number };
}

function ratesOf({ seconds, counted }: Minute): NodeRates {
  const perSecond = (count: number): number => (seconds === 0 ? 0 : short(count / seconds));
  return {
    seconds: short(seconds),
    publishes: perSecond(counted.publishes),
    deliveries: perSecond(counted.deliveries),
    bytes_in: perSecond(counted.bytesIn),
    bytes_out: perSecond(counted.bytesOut),
  };
}

function limitsOf({ named }: Minute): readonly LimitDecisions[] {
  return Array.from(named.limits, ([bucket, [allowed, denied]]) => ({ bucket, allowed, denied }));
}

function sinksOf({ sinks }: NamedTotals, { named }: Minute): readonly SinkAttempts[] {
  return Array.from(sinks, ([sink, [success, failure]]) => {
    const [recent_success, recent_failure] = named.sinks.get(sink) ?? [0, 0];
    return { sink, success, failure, recent_success, recent_failure };
  });
}
