import { Histogram, type Registry } from 'prom-client';
import type { DurationHistogram } from './tally.ts';

export interface TallyHistogramOptions {
  readonly name: string;
  readonly help: string;
  readonly label: string;
  readonly tally: DurationHistogram;
  readonly registry: Registry;
}

interface Sample {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  /** Part of the form that the library's own histograms have. */
  readonly sharedLabels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A histogram whose numbers are counted elsewhere and read when somebody scrapes. */
export class TallyHistogram extends Histogram<string> {
  readonly #options: TallyHistogramOptions;

  constructor(options: TallyHistogramOptions) {
    const { name, help, label, tally, registry } = options;
    super({ name, help, labelNames: [label], buckets: [...tally.bounds], registers: [registry] });
    this.#options = options;
  }

  /** What the registry reads; not in the library's declarations, so a test pins it. */
  async getForPromString(): Promise<object> {
    const { name, help, label, tally } = this.#options;
    const values: Sample[] = [];
    for (const [of, { counts, sum, total }] of tally.spreads()) {
      const labels = { [label]: of };
      let below = 0;
      for (const [index, le] of [...tally.bounds, '+Inf'].entries()) {
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
