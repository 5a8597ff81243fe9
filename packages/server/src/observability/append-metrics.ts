import type { DurationHistogram, LabelledCounter } from './counters.ts';
import { exportCounters, exportSum } from './export-counters.ts';
import { exportNumber } from './export-gauge.ts';
import { ExportedHistogram } from './exported-histogram.ts';
import type { NodeStatsView } from './node-metrics.ts';
import { Counter, type Registry } from './prometheus.ts';

/** Counters of append streams on this node. */
export interface AppendSources {
  /** By result. */
  readonly requests: LabelledCounter;
  /** By status and who ended the message. */
  readonly ended: LabelledCounter;
  readonly waits: DurationHistogram;
  readonly ops: number;
  readonly bytes: number;
  readonly flushes: number;
}

type Sum = readonly [name: string, help: string, read: (sources: AppendSources) => number];

const SUMS: readonly Sum[] = [
  ['msg_append_ops_total', 'Operations applied to messages of append streams', sources => sources.ops],
  ['msg_append_bytes_total', 'Bytes of those operations', sources => sources.bytes],
  ['msg_append_flushes_total', 'Publications of messages of append streams', sources => sources.flushes],
];

/** States that receivers got, by form: the label and its counter. */
const FORMS: readonly (readonly [form: string, read: (figures: NodeStatsView) => number])[] = [
  ['patch', figures => figures.statePatches],
  ['catch_up', figures => figures.stateCatchUps],
  ['full', figures => figures.statesInFull],
  ['rolled_up', figures => figures.statesRolledUp],
];

/** Exports the metrics of append streams (append streams 10.5), which are read only at a scrape. */
export function exportAppendMetrics(
  registry: Registry,
  sources: AppendSources,
  figures: () => NodeStatsView,
): void {
  exportNumber(
    registry,
    'msg_append_streams_open',
    'Messages of append streams that are open',
    () => figures().openMessages,
  );
  exportNumber(
    registry,
    'msg_append_mirror_bytes',
    'Copies of open messages on this node, for its subscribers',
    () => figures().mirrorBytes,
  );
  exportSum(
    registry,
    'msg_append_mirror_drops_total',
    'Copies that were dropped because a state was missed; the subscribers recovered',
    () => figures().mirrorDrops,
  );
  exportCounters({
    registry,
    name: 'msg_append_requests_total',
    help: 'Requests to append, by what became of them',
    labels: ['result'],
    counter: sources.requests,
  });
  exportCounters({
    registry,
    name: 'msg_append_ended_total',
    help: 'Messages that ended, by status and by who ended them: producer, cancel, orphan',
    labels: ['status', 'reason'],
    counter: sources.ended,
  });
  for (const [name, help, read] of SUMS) exportSum(registry, name, help, () => read(sources));
  new Counter({
    name: 'msg_append_deliveries_total',
    help: 'States of messages that receivers got: a patch, one for several states, whole, whole for several states',
    labelNames: ['form'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [form, read] of FORMS) this.inc({ form }, read(figures()));
    },
  });
  new ExportedHistogram({
    registry,
    name: 'msg_append_wait_seconds',
    help: 'From the arrival of a request to append to its publication',
    label: '',
    durations: sources.waits,
  });
}
