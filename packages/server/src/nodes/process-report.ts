import { byProcess } from '../realtime/processes.ts';
import type { Hint } from './hints.ts';
import type { NodeReport } from './local.ts';
import type { LimitDecisions, NodeRates, NodeRow } from './row.ts';

/** What the threads of a process have together. */
const SUMMED = [
  'connections',
  'users',
  'subscriptions',
  'queue_bytes',
  'publishes',
  'deliveries',
  'bytes_in',
  'bytes_out',
  'slow_consumers',
  'recovered',
  'unrecovered',
  'heap_bytes',
] as const satisfies readonly (keyof NodeRow)[];

const RATES = [
  'publishes',
  'deliveries',
  'bytes_in',
  'bytes_out',
] as const satisfies readonly (keyof NodeRates)[];

/**
 * The reports of processes: one with threads is one node (threads 2). What is of the process is as main tells it; a user or a
 * limit counts on each thread, a channel on the one that has most.
 */
export function reportsOfProcesses(reports: Iterable<NodeReport>): readonly NodeReport[] {
  return Array.from(
    byProcess(reports, ({ row }) => row.id),
    ([id, all]) => ({
      row: rowOf(
        id,
        all.map(({ row }) => row),
      ),
      hints: hintsOf(id, all),
    }),
  );
}

function rowOf(id: string, rows: readonly NodeRow[]): NodeRow {
  const main = rows.find(row => row.id === id) ?? (rows[0] as NodeRow);
  const sum = (of: (row: NodeRow) => number): number => rows.reduce((all, row) => all + of(row), 0);
  const most = (of: (row: NodeRow) => number): number => Math.max(...rows.map(of));
  const rates = Object.fromEntries(RATES.map(name => [name, sum(row => row.rates[name])]));
  return {
    ...main,
    id,
    ...Object.fromEntries(SUMMED.map(name => [name, sum(row => row[name])])),
    channels: most(({ channels }) => channels),
    loop_lag_p99_ms: most(({ loop_lag_p99_ms }) => loop_lag_p99_ms),
    rates: { ...main.rates, ...rates, seconds: most(row => row.rates.seconds) },
    limits: limitsOf(rows),
  };
}

function limitsOf(rows: readonly NodeRow[]): readonly LimitDecisions[] {
  const limits = new Map<string, LimitDecisions>();
  for (const { bucket, allowed, denied } of rows.flatMap(row => row.limits)) {
    const before = limits.get(bucket) ?? { allowed: 0, denied: 0 };
    limits.set(bucket, { bucket, allowed: before.allowed + allowed, denied: before.denied + denied });
  }
  return [...limits.values()];
}

/** Each hint once, from where it is worst, since it was first seen. */
function hintsOf(id: string, reports: readonly NodeReport[]): readonly Hint[] {
  const hints = new Map<string, Hint>();
  for (const hint of reports.flatMap(report => report.hints)) {
    const before = hints.get(hint.name) ?? hint;
    const worst = hint.value > before.value ? hint : before;
    hints.set(hint.name, { ...worst, node: id, since: Math.min(before.since, hint.since) });
  }
  return [...hints.values()];
}
