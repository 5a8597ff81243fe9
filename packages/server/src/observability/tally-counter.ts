import { Counter, type Registry } from 'prom-client';
import type { LabelledCounter } from './tally.ts';

export interface TallyCounterOptions {
  readonly name: string;
  readonly help: string;
  /** Names of the tally's labels: none, one or two. */
  readonly labels: readonly string[];
  readonly tally: LabelledCounter;
  readonly registry: Registry;
}

/** Exports a counter whose numbers are counted elsewhere and read when somebody scrapes. */
export function exportCounters({ name, help, labels, tally, registry }: TallyCounterOptions): void {
  const [first, second] = labels;
  new Counter({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    collect() {
      this.reset();
      for (const series of tally.series()) {
        const values: Record<string, string> = {};
        if (first !== undefined) values[first] = series.first;
        if (second !== undefined) values[second] = series.second;
        this.inc(values, series.count);
      }
    },
  });
}
