import type { Registry } from 'prom-client';
import type { DurationHistogram, LabelledCounter } from './counters.ts';
import { exportCounters } from './export-counters.ts';
import { ExportedHistogram } from './exported-histogram.ts';

/** What the commands of the HTTP API came to. */
export interface ApiSources {
  /** By method and code. */
  readonly requests: LabelledCounter;
  /** By method. */
  readonly seconds: DurationHistogram;
}

/** Exports the commands of the HTTP API; those inside a batch count one by one. */
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
