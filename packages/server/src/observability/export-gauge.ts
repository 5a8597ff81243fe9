import { chain, type MaybePromise } from '@msg/foundation/promises';
import { Gauge, type Registry } from './prometheus.ts';

/** One series of a gauge: the values of its labels, and its own. */
type Cell = readonly [labels: Readonly<Record<string, string>>, value: number];

/** A gauge whose series are read at each scrape; those that are not read any more are gone. */
export interface GaugeExport {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  readonly cells: () => MaybePromise<Iterable<Cell>>;
}

/** Exports a gauge. */
export function exportGauge(registry: Registry, { name, help, labels = [], cells }: GaugeExport): void {
  new Gauge({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    collect() {
      return chain(cells(), read => {
        this.reset();
        for (const [values, value] of read) this.set(values, value);
      });
    },
  });
}

/** Exports a gauge without labels. */
export function exportNumber(registry: Registry, name: string, help: string, value: () => number): void {
  exportGauge(registry, { name, help, cells: () => [[{}, value()]] });
}
