import type { TargetReport } from './cases/run-cases.ts';
import { MIB } from './floods/flood.ts';
import type { FloodReport } from './floods/run-flood.ts';

/** Faults of one target that are printed. */
const SHOWN = 30;

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / MIB)} MiB`;
}

/** Counts of one target, and what failed. */
export function siegeLines(report: TargetReport): readonly string[] {
  const { target, routes, stages, tricks, ran, unreachable, of, crashes, faults, slowestHealthMs } = report;
  const table = `${routes} routes × ${stages} stages × ${tricks} tricks, ${of} combinations`;
  const counts = `${ran} run, ${unreachable} ended before their stage`;
  const health = `slowest health check ${Math.round(slowestHealthMs)} ms`;
  return [
    `${target}: ${table}: ${counts}, ${crashes} crashes, ${faults.length} faults, ${health}`,
    ...faults.slice(0, SHOWN).map(fault => `  FAILED: ${fault}`),
    ...(faults.length > SHOWN ? [`  and ${faults.length - SHOWN} more`] : []),
  ];
}

/** What one flood did, with what a healthy client saw without and with it. */
export function floodLine(report: FloodReport): string {
  const { name, summary, heldBytes, peakBytes, growthBytes, quiet, attacked } = report;
  const memory = `RSS +${mebibytes(heldBytes)} (at most ${mebibytes(growthBytes)}), peak +${mebibytes(peakBytes)}`;
  const client = `healthy client: ${attacked.received} of ${attacked.published}, missed ${attacked.missed}, ${attacked.retried} times 503`;
  const latency = `p99 ${quiet.p99Ms.toFixed(1)} ms without, ${attacked.p99Ms.toFixed(1)} ms with the attack`;
  return `${name}: ${summary}; ${memory}; ${client}, ${latency}`;
}
