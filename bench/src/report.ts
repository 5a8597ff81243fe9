import { availableParallelism, cpus } from 'node:os';
import type { Pair } from './comparison.ts';
import { median, spread } from './statistics.ts';

/** What the figures below it were measured on, and what a bench has to say about that. */
export function printMachine(note = ''): void {
  const model = cpus()[0]?.model ?? 'unknown processor';
  const remark = note === '' ? '' : `; ${note}`;
  console.log(`Node ${process.versions.node}, ${availableParallelism()} CPUs, ${model}${remark}`);
}

/** One quantity of both sides. */
export interface Quantity<Sample> {
  /** What it is, with its unit: `µs CPU per delivery`. */
  readonly name: string;
  readonly of: (sample: Sample) => number;
  readonly digits: number;
  /** The wanted ratio of engine over baseline: `≤ 1.15`. */
  readonly wanted?: string;
  /** Digits of the ratio, 2 unless it says otherwise. */
  readonly ratioDigits?: number;
}

/** Prints a quantity of both sides and the ratio of the pairs: medians, with lowest and highest. */
export function printQuantity<Sample>(
  pairs: readonly Pair<Sample>[],
  baselineName: string,
  { name, of, digits, wanted, ratioDigits = 2 }: Quantity<Sample>,
  engineName = 'engine',
): void {
  const engine = pairs.map(pair => of(pair.engine));
  const baseline = pairs.map(pair => of(pair.baseline));
  const ratios = engine.map((value, i) => value / (baseline[i] ?? Number.NaN));
  const wantedText = wanted === undefined ? '' : `, wanted ${wanted}`;
  console.log(
    `  ${name}: ${engineName} ${spread(engine, digits)}, ${baselineName} ${spread(baseline, digits)}, ` +
      `ratio ${spread(ratios, ratioDigits)} over ${pairs.length} pairs${wantedText}`,
  );
}

export function medianOf<Sample>(samples: readonly Sample[], of: (sample: Sample) => number): number {
  return median(samples.map(of));
}
