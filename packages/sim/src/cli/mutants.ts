import type { Mutant } from '../mutants/mutant.ts';
import { playInProcess } from './run-process.ts';

/** Seeds in one process, until one of them finds the bug: few where one lasts longer than the start of a process. */
const AT_A_TIME = { memory: 4, standard: 1, outbox: 4 } as const;
/** Of the processor: a bug that lives longer has survived. */
const LONGEST_MS = 600_000;

/** What became of a planted bug. */
export interface MutantOutcome {
  /** Undefined if no seed found it. */
  readonly seed: number | undefined;
  readonly oracles: readonly string[];
  /** Of the processor, until it was found. */
  readonly cpuMs: number;
  /** The simulator's own: the text of the bug is gone, or a run could not be played. */
  readonly fault?: string;
}

/** Plays seeds from 1 on with a planted bug, until an oracle that fits finds it. */
export function hunt({ name, world, switches = {}, oracles }: Mutant, longestMs = LONGEST_MS): MutantOutcome {
  let cpuMs = 0;
  for (let first = 1; cpuMs < longestMs; first += AT_A_TIME[world]) {
    const seeds = Array.from({ length: AT_A_TIME[world] }, (_, i) => first + i);
    for (const run of playInProcess({ world, seeds, guard: false, plan: { switches }, mutant: name })) {
      cpuMs += run.cpuMs;
      const broken = [...new Set(run.violations.map(({ oracle }) => oracle))];
      if (broken.some(oracle => oracles.includes(oracle))) return { seed: run.seed, oracles: broken, cpuMs };
      if (run.fault !== undefined) return { seed: undefined, oracles: broken, cpuMs, fault: run.fault };
    }
  }
  return { seed: undefined, oracles: [], cpuMs };
}
