import type { DurationHistogram, LabelledCounter } from './counters.ts';
import { exportCounters } from './export-counters.ts';
import { ExportedHistogram } from './exported-histogram.ts';
import type { Registry } from './prometheus.ts';

/** The counters of the HTTP API's commands. */
export interface ApiSources {
  /** By method and code. */
  readonly requests: LabelledCounter;
  /** By method. */
  readonly seconds: DurationHistogram;
}

/** Exports the commands of the HTTP API; each command of a batch counts. */
export function exportApiMetrics(registry: Registry, { requests, seconds }: ApiSources): void {
  exportCounters({
    name: 'msg_api_requests_total',
    help: 'Commands of the HTTP API; code 0 is success',
    labels: ['method', 'code'],
    counter: requests,
    registry,
  });
  new ExportedHistogram({
    name: 'msg_api_duration_seconds',
    help: 'Duration of commands of the HTTP API',
    label: 'method',
    durations: seconds,
    registry,
  });
}
