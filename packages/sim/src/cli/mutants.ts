import type { Mutant } from '../mutants/mutant.ts';
import { playInProcess } from './run-process.ts';

/** Seeds in one process, until one of them finds the bug. */
const AT_A_TIME = 4;

/** What became of a planted bug. */
export interface MutantOutcome {
  /** Undefined if no seed found it. */
  readonly seed: number | undefined;
  readonly oracles: readonly string[];
  /** Of the processor, until it was found. */
  readonly cpuMs: number;
}

/** Plays so many seeds with a planted bug, from 1 on or from where its hunt begins, until an oracle that fits finds it. */
export function hunt({ name, world, oracles, firstSeed = 1 }: Mutant, seeds: number): MutantOutcome {
  const last = firstSeed + seeds - 1;
  let cpuMs = 0;
  for (let first = firstSeed; first <= last; first += AT_A_TIME) {
    const batch = Array.from({ length: Math.min(AT_A_TIME, last - first + 1) }, (_, i) => first + i);
    for (const run of playInProcess({ world, seeds: batch, guard: false, mutant: name })) {
      cpuMs += run.cpuMs;
      const broken = [...new Set(run.violations.map(({ oracle }) => oracle))];
      if (broken.some(oracle => oracles.includes(oracle))) return { seed: run.seed, oracles: broken, cpuMs };
    }
  }
  return { seed: undefined, oracles: [], cpuMs };
}
