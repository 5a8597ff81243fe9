import type { PlayedRun } from '../request.ts';

/** One row of the measurement: a class, as it is played for it. */
export interface BenchClass {
  readonly name: string;
  readonly world: string;
  /** Absent: as the class has it. */
  readonly hours?: number;
  readonly store?: string;
  /** So many times faster than real time it should be. */
  readonly timesRealTime?: number;
  /** So many times the deliveries of the engine's model it should have in a core second. */
  readonly timesModel?: number;
}

/** Long runs are cut: what they cost in an hour does not change. */
export const BENCH_CLASSES: readonly BenchClass[] = [
  { name: 'memory', world: 'memory' },
  { name: 'standard', world: 'standard', timesRealTime: 1000 },
  { name: 'storm', world: 'storm', timesModel: 2 },
  { name: 'cluster', world: 'cluster' },
  { name: 'quiet', world: 'quiet', hours: 1, timesRealTime: 2000 },
  { name: 'long on Redis', world: 'long', hours: 4, store: 'standalone', timesRealTime: 2000 },
  { name: 'long in memory', world: 'long', hours: 48, store: 'memory', timesRealTime: 50_000 },
  { name: 'outbox', world: 'outbox' },
];

/** What the log, the oracles and the memory of a run may cost. */
const MOST_PERCENT = 30;
const MOST_GROWTH_PERCENT = 5;
const MOST_MIB = 512;

/** What the same machine does at the same time without a world. */
export interface Baselines {
  /** Empty events of the kernel in a core second. */
  readonly kernelEvents: number;
  /** Deliveries of the engine's model in a core second. */
  readonly modelDeliveries: number;
}

/** Sums of runs. */
interface Sums {
  readonly virtualS: number;
  readonly coreS: number;
  readonly events: number;
  readonly deliveries: number;
}

/** What runs took, with the time of their oracles. */
export function sumsOf(runs: readonly PlayedRun[]): Sums {
  const total = (value: (run: PlayedRun) => number): number => runs.reduce((sum, run) => sum + value(run), 0);
  return {
    virtualS: total(({ virtualMs }) => virtualMs) / 1000,
    coreS: total(({ cpuMs, oracleMs = 0 }) => cpuMs + oracleMs) / 1000,
    events: total(({ events }) => events),
    deliveries: total(({ counts }) => counts['deliveries'] ?? 0),
  };
}

/** The lines of one class. `plain` are the same seeds without log and oracles. */
export function linesOf(
  { name, timesRealTime, timesModel }: BenchClass,
  runs: readonly PlayedRun[],
  plain: readonly PlayedRun[],
  { kernelEvents, modelDeliveries }: Baselines,
): readonly string[] {
  const { virtualS, coreS, events, deliveries } = sumsOf(runs);
  const [speed, delivered] = [virtualS / coreS, deliveries / coreS];
  const cost = 100 * (1 - sumsOf(plain).coreS / coreS);
  const kernel = (100 * events) / kernelEvents / coreS;
  return [
    `${name}: ${runs.length} seeds, ${whole(virtualS)} virtual s in ${coreS.toFixed(1)} core s`,
    `  ${whole(speed)} x real time${atLeast(speed, timesRealTime)}, ${whole(events / coreS)} events/s`,
    `  ${whole(delivered)} deliveries/s${atLeast(delivered, timesModel && timesModel * modelDeliveries)}`,
    `  the kernel alone takes ${whole(kernel)} % of that for as many empty events`,
    `  log and oracles ${whole(cost)} %${atMost(cost, MOST_PERCENT)}`,
    `  ${memoryLine(runs)}`,
  ];
}

/** What lives after a collection: in the first and the last quarter of the runs. */
function memoryLine(runs: readonly PlayedRun[]): string {
  const heaps = runs.flatMap(({ heapMiB = [] }) => heapMiB);
  const count = Math.max(1, Math.floor(heaps.length / 4));
  const mean = (part: readonly number[]): number => part.reduce((sum, heap) => sum + heap, 0) / part.length;
  const [first, last] = [mean(heaps.slice(0, count)), mean(heaps.slice(-count))];
  const growth = 100 * (last / first - 1);
  const rss = Math.max(0, ...runs.map(({ rssMiB = 0 }) => rssMiB));
  const grown = `${growth.toFixed(1)} % more${atMost(growth, MOST_GROWTH_PERCENT)}`;
  return `heap ${whole(first)} MiB in the first quarter, ${grown} in the last; process ${whole(rss)} MiB${atMost(rss, MOST_MIB)}`;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}

function atLeast(value: number, bar: number | undefined): string {
  return bar === undefined ? '' : ` (at least ${whole(bar)}: ${value >= bar ? 'holds' : 'missed'})`;
}

function atMost(value: number, bar: number): string {
  return ` (at most ${whole(bar)}: ${value <= bar ? 'holds' : 'missed'})`;
}
