import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { defined } from '@msg/foundation/json';
import { MUTANTS } from '../mutants/mutants.ts';
import { WORLD_NAMES } from '../world/names.ts';
import { determinismFaults } from './determinism.ts';
import { differenceOf } from './diff.ts';
import { hunt } from './mutants.ts';
import { nearest } from './nearest.ts';
import type { PlayedRun, PlayRequest } from './request.ts';
import { playInProcess } from './run-process.ts';
import { shrink } from './shrink.ts';

/** What the command ends with. */
export const EXIT = { clean: 0, violation: 1, badUse: 2, simulator: 3 } as const;

/** Seeds that find every planted bug, and that CI plays of the first class of worlds. */
const FIXED_SEEDS = 24;
/** Seeds that CI plays of the others: it has 45 s of the processor. */
const FIXED_SEEDS_OF_OTHERS = 8;
/** Seeds that CI plays in several ways, whose hashes are compared: small ones, since some ways are slow. */
const COMPARED_SEEDS = { memory: [8, 16], outbox: [8], bare: [6, 16] } as const;
const COMMANDS = ['play', 'diff', 'shrink', 'mutants', 'ci'] as const;

type Print = (line: string) => void;

class BadUse extends Error {}

/** Runs one command line and returns the exit code. */
export function runCommand(args: readonly string[], print: Print): number {
  try {
    const { command, seed, world, seeds, faults } = readArgs(args);
    if (command === 'ci') return ci(print);
    if (command === 'mutants') return mutants(print);
    if (command === 'diff') return diff(world, seed, print);
    const request = { world, guard: true, ...defined({ faults }) };
    if (command === 'shrink') return shrunk(request, seed, print);
    const numbers = Array.from({ length: seeds }, (_, i) => seed + i);
    return report(world, playInProcess({ ...request, seeds: numbers }), print);
  } catch (error) {
    if (!(error instanceof BadUse)) throw error;
    print(error.message);
    return EXIT.badUse;
  }
}

interface Arguments {
  readonly command: (typeof COMMANDS)[number];
  readonly seed: number;
  readonly seeds: number;
  readonly world: string;
  readonly faults: readonly number[] | undefined;
}

function readArgs(args: readonly string[]): Arguments {
  const { values, positionals } = parsed(args);
  const command = oneOf('command', COMMANDS, positionals[0] ?? 'play');
  if (positionals.length > 1) throw new BadUse(`one command is expected; got ${positionals.join(' ')}`);
  const world = oneOf('class', WORLD_NAMES, values.class ?? WORLD_NAMES[0]);
  return {
    command,
    world,
    seed: whole('seed', values.seed ?? '1'),
    seeds: whole('seeds', values.seeds ?? '1'),
    faults: values.faults?.split(',').map(text => whole('faults', text)),
  };
}

function parsed(args: readonly string[]): ReturnType<typeof parse> {
  try {
    return parse(args);
  } catch (error) {
    const word = /'--(?<word>[\w-]+)/.exec(error instanceof Error ? error.message : '')?.groups?.['word'];
    if (word === undefined) throw error;
    throw new BadUse(
      `option --${word} is not known; the nearest is --${nearest(word, Object.keys(OPTIONS))}`,
    );
  }
}

const OPTIONS = {
  seed: { type: 'string' },
  seeds: { type: 'string' },
  class: { type: 'string' },
  faults: { type: 'string' },
} as const;

function parse(args: readonly string[]) {
  return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
}

function oneOf<T extends string>(what: string, words: readonly T[], word: string): T {
  const match = words.find(candidate => candidate === word);
  if (match !== undefined) return match;
  throw new BadUse(`${what} "${word}" is not known; the nearest is "${nearest(word, words)}"`);
}

function whole(name: string, text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new BadUse(`--${name} must be a whole number; got ${JSON.stringify(text)}`);
}

function report(world: string, runs: readonly PlayedRun[], print: Print): number {
  for (const run of runs) {
    const { seed, hash, events, virtualMs, cpuMs, counts, violations, fault } = run;
    const counted = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
    const speed = Math.round(events / (cpuMs / 1000));
    print(
      `seed ${seed}: ${hash}, ${events} events, ${(virtualMs / 1000).toFixed(0)} s in ${cpuMs.toFixed(0)} ms ` +
        `(${speed} events/s), ${counted.join(', ')}`,
    );
    for (const { oracle, atUs, text } of violations) print(`  ${oracle} at ${atUs / 1000} ms: ${text}`);
    if (fault !== undefined) print(`  the simulator is at fault: ${fault}`);
    if (violations.length > 0) print(`  again: npm run sim -- --class ${world} --seed ${seed}`);
  }
  return exitOf(runs);
}

function exitOf(runs: readonly PlayedRun[]): number {
  if (runs.some(({ fault }) => fault !== undefined)) return EXIT.simulator;
  return runs.some(({ violations }) => violations.length > 0) ? EXIT.violation : EXIT.clean;
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

/** Plays a seed with ever fewer faults, and says which ones its broken promise needs. */
function shrunk(request: Omit<PlayRequest, 'seeds'>, seed: number, print: Print): number {
  const least = shrink(request, seed);
  if (least === undefined) return report(request.world, playInProcess({ ...request, seeds: [seed] }), print);
  const { oracle, faults, run } = least;
  print(`${oracle} needs ${faults.length} of ${run.faults.length} faults:`);
  for (const number of faults)
    print(`  ${number}: ${run.faults[number]?.name} at ${run.faults[number]?.atMs} ms`);
  for (const { atUs, text } of run.violations.slice(0, 1)) print(`  ${oracle} at ${atUs / 1000} ms: ${text}`);
  print(`again: npm run sim -- --class ${request.world} --seed ${seed} --faults ${faults.join(',')}`);
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
