import type { LabelledCounter } from './counters.ts';
import { exportCounters } from './export-counters.ts';
import { exportGauge } from './export-gauge.ts';
import type { Registry } from './prometheus.ts';

/** The calls with API keys, and the last use of each secret by this process. */
export interface ApiKeySources {
  /** By name and result. */
  readonly requests: LabelledCounter;
  secrets(): Iterable<{
    readonly name: string;
    /** Position among the secrets of its key. */
    readonly slot: number;
    /** Unix milliseconds; 0: never. */
    readonly use: { readonly lastUsedMs: number };
  }>;
}

/** Exports the use of API keys, which shows operators when a secret is no longer used. */
export function exportApiKeyMetrics(registry: Registry, { requests, secrets }: ApiKeySources): void {
  exportCounters({
    name: 'msg_api_key_requests_total',
    help: 'Calls with an API key; a key that is not known has no name',
    labels: ['name', 'result'],
    counter: requests,
    registry,
  });
  exportGauge(registry, {
    name: 'msg_api_key_last_used_seconds',
    help: 'Unix time at which a secret of an API key was used last; 0 never by this process',
    labels: ['name', 'slot'],
    cells: () =>
      Array.from(secrets(), ({ name, slot, use }) => [{ name, slot: String(slot) }, use.lastUsedMs / 1000]),
  });
}
