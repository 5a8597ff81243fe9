import type { LabelledCounter } from './counters.ts';
import { Counter, type Registry } from './prometheus.ts';

export interface CounterExport {
  readonly name: string;
  readonly help: string;
  /** Names of the counter's labels: none, one or two. */
  readonly labels: readonly string[];
  readonly counter: Pick<LabelledCounter, 'series'>;
  readonly registry: Registry;
}

/** Exports a counter whose numbers are counted elsewhere and read at each scrape. */
export function exportCounters({ name, help, labels, counter, registry }: CounterExport): void {
  const [first, second] = labels;
  new Counter({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    collect() {
      this.reset();
      for (const series of counter.series()) {
        const values: Record<string, string> = {};
        if (first !== undefined) values[first] = series.first;
        if (second !== undefined) values[second] = series.second;
        this.inc(values, series.count);
      }
    },
  });
}

/** Exports a counter without labels whose number is counted elsewhere and read at each scrape. */
export function exportSum(registry: Registry, name: string, help: string, value: () => number): void {
  new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      this.reset();
      this.inc(value());
    },
  });
}
