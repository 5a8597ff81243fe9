import type { DurationHistogram, LabelledCounter } from './counters.ts';
import { exportCounters } from './export-counters.ts';
import { exportGauge } from './export-gauge.ts';
import { ExportedHistogram } from './exported-histogram.ts';
import type { Registry } from './prometheus.ts';

export interface StoreSources {
  /** Parts of the service that can fail, by their names in `/readyz`. */
  subsystems(): Iterable<readonly [name: string, ok: boolean]>;
  /** Commands to the shared store; without one they stay empty. */
  readonly seconds: DurationHistogram;
  readonly failures: LabelledCounter;
}

/** Exports the durations of the shared store's commands and its state. */
export function exportStoreMetrics(registry: Registry, sources: StoreSources): void {
  new ExportedHistogram({
    name: 'msg_store_command_duration_seconds',
    help: 'Duration of commands to the shared store',
    label: 'command',
    durations: sources.seconds,
    registry,
  });
  exportCounters({
    name: 'msg_store_command_failures_total',
    help: 'Commands that the shared store did not carry out',
    labels: ['command'],
    counter: sources.failures,
    registry,
  });
  exportSubsystems(registry, () => sources.subsystems());
}

/** Exports whether each part works. */
export function exportSubsystems(registry: Registry, subsystems: StoreSources['subsystems']): void {
  exportGauge(registry, {
    name: 'msg_subsystem_up',
    help: 'Whether a part of the service works, as /readyz says; outbox: whether its worker reaches the database',
    labels: ['subsystem'],
    cells: () => Array.from(subsystems(), ([subsystem, ok]) => [{ subsystem }, ok ? 1 : 0]),
  });
}
