import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { defined } from '@msg/foundation/json';
import { digestOf } from '../kernel/event-log.ts';
import type { Mutant } from '../mutants/mutant.ts';
import { MUTANTS } from '../mutants/mutants.ts';
import { WORLD_NAMES } from '../world/names.ts';
import { corpusFaults } from './corpus.ts';
import { determinismFaults } from './determinism.ts';
import { EXIT, type Print } from './exit.ts';
import { report } from './report.ts';
import { playInProcess } from './run-process.ts';

/** Seeds that CI plays of the first class of worlds. */
const FIXED_SEEDS = 24;
/** What CI plays of each class. */
const SEEDS: Readonly<Record<(typeof WORLD_NAMES)[number], CiSeeds>> = {
  memory: { fixed: firstSeeds(FIXED_SEEDS), compared: [23, 28] },
  standard: { fixed: [3, 4, 5, 6, 7, 9, 10, 12, 16, 17, 18, 19], compared: [11] },
  storm: { fixed: [7, 11, 24, 29, 34, 52, 67, 79], compared: [11] },
  quiet: { fixed: firstSeeds(6), compared: [4], hours: 0.3 },
  long: { fixed: firstSeeds(6), compared: [1], hours: 6 },
  cluster: { fixed: [3, 4, 5, 6, 7], compared: [4] },
  outbox: { fixed: firstSeeds(8), compared: [8] },
  bare: { fixed: firstSeeds(8), compared: [6, 16] },
};
/** Planted bugs that CI looks for, drawn by the commit. */
const DRAWN_MUTANTS = 6;

interface CiSeeds {
  /** Played once: small ones of a class whose runs are long. */
  readonly fixed: readonly number[];
  /** Played in several ways, whose hashes are compared: small ones, since some ways are slow. */
  readonly compared: readonly number[];
  /** How long these runs are, of a class whose own are longer. */
  readonly hours?: number;
}

function firstSeeds(count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => i + 1);
}

/**
 * The part of CI: no plan of the corpus breaks its promise again, equal seeds give equal hashes, no fixed seed breaks a
 * promise, and planted bugs are found.
 * @param find looks for planted bugs and returns an exit code
 */
export function ci(print: Print, find: (planted: readonly Mutant[]) => number): number {
  const exits = [corpus(print), ...WORLD_NAMES.map(world => ofClass(world, print)), find(drawnMutants())];
  writeReport(exits);
  return Math.max(...exits);
}

function corpus(print: Print): number {
  const faults = corpusFaults();
  for (const fault of faults) print(fault);
  return faults.length === 0 ? EXIT.clean : EXIT.violation;
}

function ofClass(world: (typeof WORLD_NAMES)[number], print: Print): number {
  const { fixed, compared, hours } = SEEDS[world];
  const plan = defined({ hours });
  const faults = determinismFaults(world, compared, plan);
  for (const fault of faults) print(fault);
  const exit = report(world, playInProcess({ world, seeds: fixed, guard: true, plan }), print);
  return faults.length > 0 ? EXIT.simulator : exit;
}

/** Of every commit others; without a repository the first ones. */
function drawnMutants(): readonly Mutant[] {
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' });
  const quick = MUTANTS.filter(({ isSlow }) => isSlow !== true);
  const first = digestOf(Buffer.from(stdout ?? '')) % quick.length;
  return [...quick.slice(first), ...quick].slice(0, DRAWN_MUTANTS);
}

/** For the sum that CI prints; the corpus, each class of worlds, and the planted bugs count as one test each. */
function writeReport(exits: readonly number[]): void {
  const file = process.env['MSG_TEST_REPORT'];
  if (file === undefined) return;
  const failed = exits.filter(exit => exit !== EXIT.clean).length;
  writeFileSync(file, JSON.stringify({ numPassedTests: exits.length - failed, numFailedTests: failed }));
}
