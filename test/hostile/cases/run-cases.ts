import type { Part } from '../part.ts';
import { SeededRandom } from '../random.ts';
import { startDash } from '../targets/dash.ts';
import { startEmbedded } from '../targets/embedded.ts';
import { startService } from '../targets/service.ts';
import type { Target } from '../targets/target.ts';
import { type Case, casesOf } from './case.ts';
import { besiege, type SiegeReport } from './siege.ts';

/** Cases of one target in the part for CI: such that take milliseconds, and such that wait for a deadline. */
const SHORT_QUICK = 600;
const SHORT_WAITING = 60;

/** The outcome of one target, with the counts of its table. */
export interface TargetReport extends SiegeReport {
  readonly target: string;
  readonly routes: number;
  readonly stages: number;
  readonly tricks: number;
  /** Cases of the whole table. */
  readonly of: number;
}

function drawnOf(cases: readonly Case[], seed: number, part: Part): readonly Case[] {
  const mixed = part.of(new SeededRandom(seed).shuffled(cases));
  if (!part.short) return mixed;
  const waiting = mixed.filter(({ ending }) => ending.waits === true);
  const quick = mixed.filter(({ ending }) => ending.waits !== true);
  return [...quick.slice(0, SHORT_QUICK), ...waiting.slice(0, SHORT_WAITING)];
}

function distinct(cases: readonly Case[], part: (attack: Case) => string): number {
  return new Set(cases.map(part)).size;
}

/** What a target will meet: drawn before the first attack, since drawing keeps this process busy for seconds. */
interface Assault {
  readonly target: Target;
  readonly all: readonly Case[];
  readonly drawn: readonly Case[];
}

function planned(target: Target, seed: number, part: Part): Assault {
  const all = casesOf(target.routes);
  return { target, all, drawn: drawnOf(all, seed, part) };
}

async function attack({ target, all, drawn }: Assault, seed: number): Promise<TargetReport> {
  const siege = await besiege(target, drawn, new SeededRandom(seed));
  const failures = target.failures().slice(0, 5);
  return {
    ...siege,
    faults: [...siege.faults, ...failures.map(line => `in its log: ${line.slice(0, 300)}`)],
    target: target.name,
    routes: target.routes.length,
    stages: distinct(all, ({ stage }) => stage.name),
    tricks: distinct(all, ({ form, ending }) => `${form.name}: ${ending.name}`),
    of: all.length,
  };
}

type Program = () => Promise<readonly Target[]>;

/** All programs; with several threads the one that has them. */
function programsOf(threads: number): readonly Program[] {
  const service: Program = async () => [await startService(threads)];
  return threads > 1 ? [service] : [service, startEmbedded, async () => [await startDash()]];
}

async function attackInTurn(assaults: readonly Assault[], seed: number): Promise<readonly TargetReport[]> {
  const reports: TargetReport[] = [];
  for (const assault of assaults) reports.push(await attack(assault, seed));
  return reports;
}

function stopAll(assaults: readonly Assault[]): Promise<unknown> {
  return Promise.all(assaults.map(({ target }) => target.stop()));
}

/**
 * Attacks every route of every target, one program after the other. The part for CI takes a drawn share of the cases,
 * of all programs at once, since most of its time is waiting: they are started one by one, for a busy process answers
 * the deadlines of a target too late.
 */
export async function runCases(seed: number, part: Part, threads: number): Promise<readonly TargetReport[]> {
  if (part.short) return attackTogether(seed, part, programsOf(threads));
  const reports: TargetReport[] = [];
  for (const start of programsOf(threads)) {
    const assaults = (await start()).map(target => planned(target, seed, part));
    try {
      reports.push(...(await attackInTurn(assaults, seed)));
    } finally {
      await stopAll(assaults);
    }
  }
  return reports;
}

async function attackTogether(
  seed: number,
  part: Part,
  starts: readonly Program[],
): Promise<readonly TargetReport[]> {
  const programs: Assault[][] = [];
  try {
    for (const start of starts) programs.push((await start()).map(target => planned(target, seed, part)));
    const reports = await Promise.all(programs.map(assaults => attackInTurn(assaults, seed)));
    return reports.flat();
  } finally {
    await stopAll(programs.flat());
  }
}
