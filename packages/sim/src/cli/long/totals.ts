import type { Finished } from './finished.ts';

/** Sums of counted things by their names. */
export type Counts = Record<string, number>;

/** What the finished seeds of one class come to. */
interface ClassTotals {
  seeds: number;
  virtualMs: number;
  /** Of runs with two nodes or more on one store. */
  clusterMs: number;
  coreMs: number;
  events: number;
  readonly counts: Counts;
}

/** A seed that broke a promise, or at which the simulator was at fault. */
export interface Finding {
  readonly class: string;
  readonly seed: number;
  /** Oracles, or `simulator`. */
  readonly oracle: string;
  readonly text: string;
}

/** What finished seeds come to. */
export interface Totals {
  seeds: number;
  coreMs: number;
  clusterMs: number;
  deliveries: number;
  /** Largest memory of a worker. */
  rssMiB: number;
  /** Seeds with findings. */
  failures: number;
  readonly classes: Record<string, ClassTotals>;
  readonly faults: Counts;
  readonly codes: Counts;
  readonly findings: Finding[];
}

export function noTotals(): Totals {
  const sums = { seeds: 0, coreMs: 0, clusterMs: 0, deliveries: 0, rssMiB: 0, failures: 0 };
  return { ...sums, classes: {}, faults: {}, codes: {}, findings: [] };
}

/** Adds a finished seed. */
export function addSeed(totals: Totals, seed: Finished): void {
  const clusterMs = seed.isCluster ? seed.virtualMs : 0;
  totals.seeds++;
  totals.coreMs += seed.coreMs;
  totals.clusterMs += clusterMs;
  totals.deliveries += seed.counts['deliveries'] ?? 0;
  totals.rssMiB = Math.max(totals.rssMiB, seed.rssMiB);
  const ofClass = classOf(totals, seed.world);
  ofClass.seeds++;
  ofClass.virtualMs += seed.virtualMs;
  ofClass.clusterMs += clusterMs;
  ofClass.coreMs += seed.coreMs;
  ofClass.events += seed.events;
  addCounts(ofClass.counts, seed.counts);
  addCounts(totals.faults, seed.faults);
  addCounts(totals.codes, seed.codes);
  const findings = findingsOf(seed);
  totals.findings.push(...findings);
  if (findings.length > 0) totals.failures++;
}

/** Adds counts to their sums. */
export function addCounts(sums: Counts, counts: Readonly<Counts>): void {
  for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
}

function classOf(totals: Totals, world: string): ClassTotals {
  const made = totals.classes[world] ?? emptyClass();
  totals.classes[world] = made;
  return made;
}

function emptyClass(): ClassTotals {
  return { seeds: 0, virtualMs: 0, clusterMs: 0, coreMs: 0, events: 0, counts: {} };
}

function findingsOf({ world, seed, violations, fault }: Finished): Finding[] {
  const findings: Finding[] = violations.map(({ oracle, text }) => ({ class: world, seed, oracle, text }));
  if (fault !== undefined) findings.push({ class: world, seed, oracle: 'simulator', text: fault });
  return findings;
}
