import type { DurationHistogram } from './counters.ts';
import { Histogram, type Registry } from './prometheus.ts';

export interface ExportedHistogramOptions {
  readonly name: string;
  readonly help: string;
  /** Empty: no label. */
  readonly label: string;
  readonly durations: DurationHistogram;
  readonly registry: Registry;
}

interface Sample {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  /** Part of the form that the library's own histograms have. */
  readonly sharedLabels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A histogram whose numbers are counted elsewhere and read at each scrape. */
export class ExportedHistogram extends Histogram<string> {
  readonly #options: ExportedHistogramOptions;

  constructor(options: ExportedHistogramOptions) {
    const { name, help, label, durations, registry } = options;
    super({
      name,
      help,
      labelNames: label === '' ? [] : [label],
      buckets: [...durations.bounds],
      registers: [registry],
    });
    this.#options = options;
  }

  /** Called by the registry. The library does not declare it, so a test checks it. */
  async getForPromString(): Promise<object> {
    const { name, help, label, durations } = this.#options;
    const values: Sample[] = [];
    for (const [of, { counts, sum, total }] of durations.cells()) {
      const labels: Readonly<Record<string, string>> = label === '' ? {} : { [label]: of };
      let below = 0;
      for (const [index, le] of [...durations.bounds, '+Inf'].entries()) {
        below += counts[index] ?? 0;
        values.push({
          metricName: `${name}_bucket`,
          labels: { le, ...labels },
          sharedLabels: {},
          value: below,
        });
      }
      values.push({ metricName: `${name}_sum`, labels, sharedLabels: {}, value: sum });
      values.push({ metricName: `${name}_count`, labels, sharedLabels: {}, value: total });
    }
    return { name, help, type: 'histogram', values, aggregator: 'sum' };
  }
}
