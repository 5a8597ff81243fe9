import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { defined } from '@msg/foundation/json';
import { BadUse } from '../cli/arguments.ts';
import { EXIT, type Print } from '../cli/exit.ts';
import { readBridgeArguments } from './arguments.ts';
import { type BridgePlan, bridgePlans } from './plans.ts';
import { playInRealTime } from './play.ts';
import { type BridgeRun, isClean, linesOf, summaryOf } from './result.ts';

/** Where what happened in a run is written. */
const FOLDER = join(import.meta.dirname, '../../../../.tmp/sim');

/** Runs one command line of the bridge and answers the exit code. */
export async function runBridge(args: readonly string[], print: Print): Promise<number> {
  const plans = chosen(args, print);
  if (plans === undefined) return EXIT.badUse;
  const runs: BridgeRun[] = [];
  for (const plan of plans) {
    const run = await playInRealTime(plan);
    for (const line of linesOf(run)) print(line);
    if (run.timeline !== undefined) print(`  what happened: ${written(run.name, run.timeline)}`);
    runs.push(run);
  }
  for (const line of summaryOf(runs)) print(line);
  return isClean(runs) ? EXIT.clean : EXIT.violation;
}

/** Writes what happened in a run; answers the file. */
function written(name: string, timeline: string): string {
  mkdirSync(FOLDER, { recursive: true });
  const file = join(FOLDER, `bridge-${name.replaceAll(' ', '-')}.txt`);
  writeFileSync(file, timeline);
  return relative(process.cwd(), file);
}

/** The plans that a command line asks for; undefined: it asks for none, and why was printed. */
function chosen(args: readonly string[], print: Print): readonly BridgePlan[] | undefined {
  try {
    const { seed, seconds, only, store, plans, mutant } = readBridgeArguments(args);
    const all = bridgePlans(seed, seconds);
    const wanted = all.filter(plan => plan.name.includes(only) && plan.store === (store ?? plan.store));
    if (wanted.length > 0) return wanted.slice(0, plans).map(plan => ({ ...plan, ...defined({ mutant }) }));
    throw new BadUse(`no plan has "${only}" in its name; they are ${all.map(({ name }) => name).join(', ')}`);
  } catch (error) {
    if (!(error instanceof BadUse)) throw error;
    print(error.message);
    return undefined;
  }
}
