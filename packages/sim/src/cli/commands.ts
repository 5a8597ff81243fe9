import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { defined } from '@msg/foundation/json';
import type { Mutant } from '../mutants/mutant.ts';
import { MUTANTS } from '../mutants/mutants.ts';
import { shownSwitches } from '../plan/classes.ts';
import { timelineText } from '../plan/timeline.ts';
import { adopt, textOf } from './adopt.ts';
import { type Arguments, BadUse, readArguments } from './arguments.ts';
import { bench } from './bench/bench.ts';
import { ci } from './ci.ts';
import { replay } from './corpus.ts';
import { differenceOf } from './diff.ts';
import { emit } from './emit/emit.ts';
import { EXIT, type Print } from './exit.ts';
import { hunt } from './mutants.ts';
import { writeRow } from './mutants-table.ts';
import { planText, readPlan } from './plan-file.ts';
import { report } from './report.ts';
import { playInProcess } from './run-process.ts';
import { shrink } from './shrink.ts';
import { view } from './view.ts';

/** Where shrunk plans and pictures of runs are written. */
const SHRUNK = join(import.meta.dirname, '../../../../.tmp/sim');

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
  replay: replayed,
  emit,
  view: (asked, print) => view(asked, print, SHRUNK),
  adopt,
  mutants: ({ mutant, write }, print) =>
    mutants(
      MUTANTS.filter(({ name }) => name === (mutant ?? name)),
      print,
      write,
    ),
  bench: ({ seeds, world, namesWorld }, print) => bench(seeds, namesWorld ? world : undefined, print),
  ci: (_, print) => ci(print, planted => mutants(planted, print)),
};

function play({ world, seed, seeds, switches, hours, mutant }: Arguments, print: Print): number {
  const numbers = Array.from({ length: seeds }, (_, i) => seed + i);
  const plan = { switches, ...defined({ hours }) };
  const request = { world, guard: true, plan, seeds: numbers, ...defined({ mutant }) };
  return report(world, playInProcess(request), print);
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

/** Plays ever less of a seed, writes what its broken promise needs, and says how to play that. */
function shrunk({ world, seed, switches, hours, mutant }: Arguments, print: Print): number {
  const request = { world, guard: true, plan: { switches, ...defined({ hours }) }, ...defined({ mutant }) };
  const least = shrink(request, seed);
  if (least === undefined) return report(world, playInProcess({ ...request, seeds: [seed] }), print);
  const { oracle, plan, run } = least;
  const actors = `${plan.clients.length} clients, ${plan.channels.length} channels`;
  print(`${oracle} needs ${plan.steps.length} faults, ${actors} and ${plan.endMs} ms:`);
  if (plan.switches !== undefined) print(`  ${shownSwitches(world, plan.switches)}`);
  for (const { name, atMs } of plan.steps) print(`  ${name} at ${atMs} ms`);
  mkdirSync(SHRUNK, { recursive: true });
  const base = join(SHRUNK, `${oracle}-${run.hash}`);
  const file = `${base}.json`;
  const told = playInProcess({ ...request, seeds: [seed], plan, timeline: true })[0]?.timeline ?? [];
  const broken = run.violations.find(violation => violation.oracle === oracle);
  writeFileSync(`${base}.txt`, timelineText(told, broken?.atUs ?? 0, `${oracle}: ${broken?.text}`));
  writeFileSync(file, planText({ class: world, seed, oracle, ...defined({ mutant }), ...plan }));
  if (broken !== undefined) print(`  ${oracle} at ${broken.atUs / 1000} ms: ${broken.text}`);
  print(`what happened: ${relative(process.cwd(), base)}.txt`);
  print(`again: npm run sim -- replay ${relative(process.cwd(), file)}`);
  return EXIT.violation;
}

function replayed({ file, mutant }: Arguments, print: Print): number {
  const plan = readPlan(textOf(file), file);
  const run = replay(plan, mutant);
  return report(plan.class, run === undefined ? [] : [run], print);
}

/** Says of each planted bug which seed found it. One that survives is a fault of the simulator. */
function mutants(planted: readonly Mutant[], print: Print, write = false): number {
  let survivors = 0;
  for (const mutant of planted) {
    const outcome = hunt(mutant);
    const { seed, oracles, cpuMs, fault } = outcome;
    const answer = seed === undefined ? (fault ?? 'survived') : `seed ${seed}, ${oracles.join(' ')}`;
    print(`${mutant.name}: ${answer}, ${(cpuMs / 1000).toFixed(1)} s`);
    if (seed === undefined) survivors++;
    else if (write) writeRow(mutant, outcome);
  }
  return survivors === 0 ? EXIT.clean : EXIT.simulator;
}
