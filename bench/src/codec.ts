import { type CodecCase, codecCases } from './codec-cases.ts';

const SAMPLE_MS = 40;
const DEFAULT_PAIRS = 9;

/**
 * Nanoseconds per operation of our codec and of a baseline, in one run. Both sides take turns, so that whatever
 * slows the machine down slows both; every case is measured in pairs and the medians are printed.
 *
 * Arguments: `--pairs=<n>` (at least 5), `--only=<text in the name>`.
 */
export async function run(args: string[]): Promise<void> {
  const pairs = Math.max(5, Number(option(args, 'pairs') ?? DEFAULT_PAIRS));
  const only = option(args, 'only') ?? '';
  console.log(
    `node ${process.version}, ${pairs} pairs per case, ns per operation: median (lowest – highest)`,
  );
  let missed = 0;
  for (const test of codecCases()) {
    if (!test.name.includes(only)) continue;
    const result = measure(test, pairs);
    const isMet = result.ratio >= test.target;
    if (!isMet) missed++;
    const target = test.target === 0 ? '' : `  target ${test.target}x ${isMet ? 'met' : 'MISSED'}`;
    console.log(
      `${test.name.padEnd(44)} ours ${show(result.ours)}  ${test.baselineName} ${show(result.baseline)}` +
        `  ${result.ratio.toFixed(2)}x${target}`,
    );
  }
  if (missed > 0) process.exitCode = 1;
}

interface Result {
  readonly ours: readonly number[];
  readonly baseline: readonly number[];
  /** Median over the pairs of baseline divided by ours. */
  readonly ratio: number;
}

function measure(test: CodecCase, pairs: number): Result {
  const oursCount = calibrate(test.ours);
  const baselineCount = calibrate(test.baseline);
  const ours: number[] = [];
  const baseline: number[] = [];
  const ratios: number[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    // Who goes first alternates as well.
    const first = pair % 2 === 0;
    const a = first ? time(test.ours, oursCount) : 0;
    const b = time(test.baseline, baselineCount);
    const mine = first ? a : time(test.ours, oursCount);
    ours.push(mine);
    baseline.push(b);
    ratios.push(b / mine);
  }
  return { ours: sorted(ours), baseline: sorted(baseline), ratio: median(sorted(ratios)) };
}

/** How often to run it for one sample, after a warm-up. */
function calibrate(operation: () => unknown): number {
  let count = 1_000;
  for (let round = 0; round < 6; round++) {
    const ns = time(operation, count);
    count = Math.max(1_000, Math.round((SAMPLE_MS * 1e6) / ns));
  }
  return count;
}

let sink: unknown;

function time(operation: () => unknown, count: number): number {
  const start = process.hrtime.bigint();
  for (let i = 0; i < count; i++) sink = operation();
  const ns = Number(process.hrtime.bigint() - start) / count;
  if (sink === count) throw new Error('not reached: keeps the results alive');
  return ns;
}

function sorted(values: readonly number[]): number[] {
  return values.toSorted((a, b) => a - b);
}

function median(ascending: readonly number[]): number {
  return ascending[ascending.length >> 1] ?? 0;
}

function show(ascending: readonly number[]): string {
  const [lowest, middle, highest] = [ascending[0] ?? 0, median(ascending), ascending.at(-1) ?? 0];
  return `${middle.toFixed(0).padStart(5)} (${lowest.toFixed(0)}–${highest.toFixed(0)})`.padEnd(20);
}

function option(args: readonly string[], name: string): string | undefined {
  return args.find(arg => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
}
