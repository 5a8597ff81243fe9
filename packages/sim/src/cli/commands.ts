import { writeFileSync } from 'node:fs';
import { MUTANTS } from '../mutants/mutants.ts';
import { WORLD_NAMES } from '../world/names.ts';
import { type Arguments, BadUse, readArguments } from './arguments.ts';
import { determinismFaults } from './determinism.ts';
import { differenceOf } from './diff.ts';
import { EXIT, type Print } from './exit.ts';
import { hunt } from './mutants.ts';
import { report } from './report.ts';
import { playInProcess } from './run-process.ts';
import { shrink } from './shrink.ts';

/** Seeds that find every planted bug, and that CI plays of the first class of worlds. */
const FIXED_SEEDS = 24;
/** Seeds that CI plays of the others: it has 45 s of the processor. */
const FIXED_SEEDS_OF_OTHERS = 8;
/** Seeds that CI plays in several ways, whose hashes are compared: small ones, since some ways are slow. */
const COMPARED_SEEDS = { memory: [8, 16], outbox: [8], bare: [6, 16] } as const;

/** Runs one command line and returns the exit code. */
export function runCommand(args: readonly string[], print: Print): number {
  try {
    const asked = readArguments(args);
    return COMMANDS[asked.command](asked, print);
  } catch (error) {
    if (!(error instanceof BadUse)) throw error;
    print(error.message);
    return EXIT.badUse;
  }
}

const COMMANDS: Readonly<Record<Arguments['command'], (asked: Arguments, print: Print) => number>> = {
  play,
  diff: ({ world, seed }, print) => diff(world, seed, print),
  shrink: shrunk,
  mutants: (_, print) => mutants(print),
  ci: (_, print) => ci(print),
};

function play({ world, seed, seeds, switches }: Arguments, print: Print): number {
  const numbers = Array.from({ length: seeds }, (_, i) => seed + i);
  return report(world, playInProcess({ world, guard: true, plan: { switches }, seeds: numbers }), print);
}

function diff(world: string, seed: number, print: Print): number {
  const difference = differenceOf(world, seed);
  if (difference.length === 0) {
    print(`seed ${seed}: both runs are equal`);
    return EXIT.clean;
  }
  for (const line of difference) print(line);
  return EXIT.simulator;
}

/** Plays ever less of a seed, and says what its broken promise needs. */
function shrunk({ world, seed, switches }: Arguments, print: Print): number {
  const request = { world, guard: true, plan: { switches } };
  const least = shrink(request, seed);
  if (least === undefined) return report(world, playInProcess({ ...request, seeds: [seed] }), print);
  const { oracle, plan, run } = least;
  print(`${oracle} needs ${plan.steps.length} faults:`);
  for (const { name, atMs } of plan.steps) print(`  ${name} at ${atMs} ms`);
  for (const { atUs, text } of run.violations.slice(0, 1)) print(`  ${oracle} at ${atUs / 1000} ms: ${text}`);
  return EXIT.violation;
}

/** Says of each planted bug which seed found it. One that survives is a fault of the simulator. */
function mutants(print: Print): number {
  let survivors = 0;
  for (const mutant of MUTANTS) {
    const { seed, oracles, cpuMs } = hunt(mutant, FIXED_SEEDS);
    const outcome = seed === undefined ? 'survived' : `seed ${seed}, ${oracles.join(' ')}`;
    print(`${mutant.name}: ${outcome}, ${(cpuMs / 1000).toFixed(1)} s`);
    if (seed === undefined) survivors++;
  }
  return survivors === 0 ? EXIT.clean : EXIT.simulator;
}

/** For the sum that CI prints; a class of worlds counts as one test. */
function writeReport(exits: readonly number[]): void {
  const file = process.env['MSG_TEST_REPORT'];
  if (file === undefined) return;
  const failed = exits.filter(exit => exit !== EXIT.clean).length;
  writeFileSync(file, JSON.stringify({ numPassedTests: exits.length - failed, numFailedTests: failed }));
}

/** The part of CI: equal seeds give equal hashes, and no fixed seed breaks a promise. */
function ci(print: Print): number {
  const exits = WORLD_NAMES.map(world => {
    const faults = determinismFaults(world, COMPARED_SEEDS[world]);
    for (const fault of faults) print(fault);
    const count = world === WORLD_NAMES[0] ? FIXED_SEEDS : FIXED_SEEDS_OF_OTHERS;
    const seeds = Array.from({ length: count }, (_, i) => i + 1);
    const exit = report(world, playInProcess({ world, seeds, guard: true }), print);
    return faults.length > 0 ? EXIT.simulator : exit;
  });
  writeReport(exits);
  return Math.max(...exits);
}
