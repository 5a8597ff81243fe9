import { exportSum } from './export-counters.ts';
import { exportGauge, exportNumber } from './export-gauge.ts';
import { Counter, type Registry } from './prometheus.ts';

/** Connections of one kind. */
export interface ConnectionCount {
  readonly transport: string;
  readonly encoding: string;
  readonly count: number;
}

/** Counters of the realtime node since its creation, and its gauges. Plain integers. */
export interface NodeStatsView {
  readonly channels: number;
  readonly deliveries: number;
  readonly volatileDrops: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly commands: number;
  readonly queueBytes: number;
  readonly waitingSubscribes: number;
  readonly slowConsumers: number;
  readonly insufficientStates: number;
  readonly recovered: number;
  readonly unrecoveredEpoch: number;
  readonly unrecoveredTrimmed: number;
  readonly unrecoveredAhead: number;
  readonly unrecoveredLimit: number;
  readonly openMessages: number;
  readonly mirrorBytes: number;
  readonly mirrorDrops: number;
  readonly statePatches: number;
  readonly stateCatchUps: number;
  readonly statesInFull: number;
  readonly statesRolledUp: number;
}

export interface NodeSources {
  /** Clients of this node. */
  connections(): Iterable<ConnectionCount>;
  figures(): NodeStatsView;
}

type Figure = readonly [name: string, help: string, read: (figures: NodeStatsView) => number];

const COUNTERS: readonly Figure[] = [
  ['msg_deliveries_total', 'Publications queued for receivers', figures => figures.deliveries],
  ['msg_received_bytes_total', 'Bytes of commands from clients', figures => figures.bytesIn],
  ['msg_sent_bytes_total', 'Bytes handed to client transports', figures => figures.bytesOut],
  ['msg_client_commands_total', 'Commands of clients', figures => figures.commands],
  [
    'msg_slow_consumer_disconnects_total',
    'Connections cut because their reader was too slow',
    figures => figures.slowConsumers,
  ],
  [
    'msg_insufficient_states_total',
    'Subscriptions ended because continuity was lost',
    figures => figures.insufficientStates,
  ],
];

const GAUGES: readonly Figure[] = [
  ['msg_subscribed_channels', 'Channels with a subscriber on this node', figures => figures.channels],
  [
    'msg_subscribes_waiting',
    'Subscribes that clients retry until their channel opens',
    figures => figures.waitingSubscribes,
  ],
  ['msg_queue_bytes', 'Bytes that wait for slow readers', figures => figures.queueBytes],
];

/** Outcomes of recoveries: the label and its counter. */
const RECOVERIES: readonly (readonly [reason: string, read: Figure[2]])[] = [
  ['recovered', figures => figures.recovered],
  ['epoch', figures => figures.unrecoveredEpoch],
  ['trimmed', figures => figures.unrecoveredTrimmed],
  ['ahead', figures => figures.unrecoveredAhead],
  ['limit', figures => figures.unrecoveredLimit],
];

/** Exports the realtime node's counters, which are read only at a scrape. */
export function exportNodeMetrics(registry: Registry, sources: NodeSources): void {
  const registers = [registry];
  for (const [name, help, read] of COUNTERS) {
    exportSum(registry, name, help, () => read(sources.figures()));
  }
  for (const [name, help, read] of GAUGES) {
    exportNumber(registry, name, help, () => read(sources.figures()));
  }
  new Counter({
    name: 'msg_recoveries_total',
    help: 'Subscribes that asked for recovery, by outcome',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      const figures = sources.figures();
      for (const [outcome, read] of RECOVERIES) this.inc({ outcome }, read(figures));
    },
  });
  new Counter({
    name: 'msg_publications_dropped_total',
    help: 'Publications that a subscriber did not get because too much waited for it',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset();
      this.inc({ reason: 'volatile' }, sources.figures().volatileDrops);
    },
  });
  exportGauge(registry, {
    name: 'msg_connections_active',
    help: 'Client connections of this node',
    labels: ['transport', 'encoding'],
    cells: () =>
      Array.from(sources.connections(), ({ transport, encoding, count }) => [{ transport, encoding }, count]),
  });
}
