import type { Totals } from './totals.ts';

/** What is shown beside the sums. */
export interface Progress {
  /** Real milliseconds of this call. */
  readonly elapsedMs: number;
  readonly workers: number;
  /** Seeds under way. */
  readonly playing: readonly string[];
}

const HEAD = [
  'class',
  'seeds',
  'deliveries',
  'hours',
  'cluster hours',
  '× real',
  'recovered',
  'unrecovered',
  'faults',
];
const HOUR_MS = 3_600_000;

/** The state of a campaign: a row for each class, the codes, and what it cost. */
export function campaignTable(totals: Totals, { elapsedMs, workers, playing }: Progress): string {
  const rows = Object.entries(totals.classes).map(([name, each]) => [
    name,
    ...[each.seeds, each.counts['deliveries'] ?? 0].map(shown),
    ...[each.virtualMs, each.clusterMs].map(ms => (ms / HOUR_MS).toFixed(2)),
    shown(Math.round(each.virtualMs / Math.max(1, each.coreMs))),
    ...['recovered', 'unrecovered', 'faults'].map(count => shown(each.counts[count] ?? 0)),
  ]);
  const codes = Object.entries(totals.codes).map(([code, count]) => `${code}: ${shown(count)}`);
  const speed = Math.round(totals.deliveries / Math.max(1, totals.coreMs / 1000));
  return [
    ...aligned([HEAD, ...rows]),
    `codes: ${codes.length === 0 ? 'none' : codes.join(', ')}`,
    `${clock(elapsedMs)} with ${workers} workers, ${(totals.coreMs / HOUR_MS).toFixed(2)} core hours in all, ` +
      `${shown(speed)} deliveries per core second, at most ${totals.rssMiB} MiB a worker`,
    `${totals.failures} seeds with findings; playing ${playing.length === 0 ? 'nothing' : playing.join(', ')}`,
  ].join('\n');
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = HEAD.map((_, i) => Math.max(...rows.map(row => row[i]?.length ?? 0)));
  return rows.map(row =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  '),
  );
}

function shown(number: number): string {
  return number.toLocaleString('en-US');
}

function clock(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
