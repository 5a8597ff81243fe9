import { ORACLES } from '../oracles/all.ts';
import type { Violation } from '../oracles/observations.ts';
import type { RealStoreKind } from './real-store.ts';

/** What one plan came to in real time. */
export interface BridgeRun {
  readonly name: string;
  readonly store: RealStoreKind;
  readonly seconds: number;
  readonly counts: Readonly<Record<string, number>>;
  /** How often each kind of fault happened. */
  readonly played: Readonly<Record<string, number>>;
  /** How many steps of each kind have no real counterpart. */
  readonly skipped: Readonly<Record<string, number>>;
  readonly violations: readonly Violation[];
  /** What happened until the first one, as text; absent: none was broken. */
  readonly timeline?: string;
}

/** At most so many of 100 steps may be skipped. */
const MOST_SKIPPED_PERCENT = 20;
/** A few plans may have more of those steps than all of them together. */
const TOO_MUCH_SKIPPED = `more than ${MOST_SKIPPED_PERCENT} % of the steps were skipped: play more plans together`;
/** Violations of one run that are printed. */
const MOST_SHOWN = 20;

/** Oracles of what the simulation alone has, and what that is. */
const NOT_ASKED: Readonly<Record<string, string>> = {
  O14: 'filters, of the class memory',
  O41: 'the outbox',
  O42: 'the outbox',
  O43: 'the push service',
  O44: 'the outbox',
};

/** One line for a run, and one for each broken promise. */
export function linesOf(run: BridgeRun): readonly string[] {
  const { name, store, seconds, counts, violations } = run;
  const shown = violations.slice(0, MOST_SHOWN);
  return [
    `${name}, ${store}: ${seconds.toFixed(0)} s, ${counts['published'] ?? 0} published, ` +
      `${counts['deliveries'] ?? 0} deliveries, ${recoveriesOf(run)} recoveries, ` +
      `${sum(run.played)} faults played, ${sum(run.skipped)} steps skipped`,
    ...shown.map(({ oracle, atUs, text }) => `  ${oracle} at ${(atUs / 1000).toFixed(1)} ms: ${text}`),
    ...(shown.length < violations.length ? [`  and ${violations.length - shown.length} more`] : []),
  ];
}

/** The sum of all runs, and what could not be asked. */
export function summaryOf(runs: readonly BridgeRun[]): readonly string[] {
  const played = total(runs.map(run => run.played));
  const skipped = total(runs.map(run => run.skipped));
  const all = (name: string): number => runs.reduce((count, { counts }) => count + (counts[name] ?? 0), 0);
  const recoveries = runs.reduce((count, run) => count + recoveriesOf(run), 0);
  const seconds = runs.reduce((count, run) => count + run.seconds, 0);
  const broken = runs.reduce((count, { violations }) => count + violations.length, 0);
  return [
    `${runs.length} plans: ${seconds.toFixed(0)} s, ${all('published')} published, ${all('deliveries')} deliveries, ` +
      `${recoveries} recoveries, ${sum(played)} faults played, ${sum(skipped)} steps skipped ` +
      `(${skippedPercent(runs).toFixed(1)} %), ${broken} broken promises`,
    `played: ${listed(played)}`,
    `skipped: ${listed(skipped)}`,
    `oracles: ${ORACLES.length - Object.keys(NOT_ASKED).length} asked; not asked: ${Object.entries(NOT_ASKED)
      .map(([id, why]) => `${id} (${why})`)
      .join(', ')}`,
    ...(skippedPercent(runs) > MOST_SKIPPED_PERCENT ? [TOO_MUCH_SKIPPED] : []),
  ];
}

/** Whether every promise held, and enough of the steps were played. */
export function isClean(runs: readonly BridgeRun[]): boolean {
  return (
    runs.every(({ violations }) => violations.length === 0) && skippedPercent(runs) <= MOST_SKIPPED_PERCENT
  );
}

function recoveriesOf({ counts }: BridgeRun): number {
  return (counts['recovered'] ?? 0) + (counts['unrecovered'] ?? 0);
}

function skippedPercent(runs: readonly BridgeRun[]): number {
  const skipped = sum(total(runs.map(run => run.skipped)));
  const steps = skipped + sum(total(runs.map(run => run.played)));
  return steps === 0 ? 0 : (100 * skipped) / steps;
}

function sum(counts: BridgeRun['counts']): number {
  return Object.values(counts).reduce((all, count) => all + count, 0);
}

function total(several: readonly BridgeRun['counts'][]): Record<string, number> {
  const all: Record<string, number> = {};
  for (const counts of several)
    for (const [name, count] of Object.entries(counts)) all[name] = (all[name] ?? 0) + count;
  return all;
}

function listed(counts: BridgeRun['counts']): string {
  const entries = Object.entries(counts).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([name, count]) => `${name} ${count}`).join(', ') || 'nothing';
}
