import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defined } from '@msg/foundation/json';
import { switchesOf } from '../plan/classes.ts';
import { withSimplest } from '../plan/switches.ts';
import { type PlanFile, readPlan } from './plan-file.ts';
import type { PlayedRun, PlayRequest } from './request.ts';
import { playInProcess } from './run-process.ts';

/** Plans that once broke a promise and must not any more. */
export const CORPUS = join(import.meta.dirname, '../../corpus');

/** The folder of findings that are not fixed yet: each must break its promise until it is. */
export function openOf(corpus: string): string {
  return join(corpus, 'open');
}

/** A plan of the corpus. */
export interface CorpusEntry {
  /** Its file without the ending. */
  readonly name: string;
  readonly plan: PlanFile;
}

/** The plans of a folder, by name; none without the folder. @throws BadUse for one that cannot be played */
export function corpusOf(folder: string): readonly CorpusEntry[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter(file => file.endsWith('.json'));
  return files.toSorted().map(file => ({
    name: file.slice(0, -'.json'.length),
    plan: readPlan(readFileSync(join(folder, file), 'utf8'), file),
  }));
}

/** What plays a plan: what it leaves open is at its simplest, or drawn from its seed. */
export function requestOf(plan: PlanFile, mutant?: string): PlayRequest {
  const { class: world, seed, switches, hours, clients, channels, endMs, steps } = plan;
  const table = switchesOf(world);
  return {
    world,
    seeds: [seed],
    guard: true,
    plan: {
      ...defined({ switches: table.length === 0 ? undefined : withSimplest(table, switches), hours }),
      ...{ clients, channels, endMs, steps },
    },
    ...defined({ mutant }),
  };
}

/** Plays one plan. */
export function replay(plan: PlanFile, mutant?: string): PlayedRun | undefined {
  return playInProcess(requestOf(plan, mutant))[0];
}

/** What is wrong with a corpus; with a planted bug, if the project had it. */
export function corpusFaults(corpus = CORPUS, mutant?: string): string[] {
  const faults: string[] = [];
  for (const { name, plan } of corpusOf(corpus)) {
    const run = replay(plan, mutant);
    const broken = run?.violations[0];
    if (run === undefined || run.fault !== undefined) faults.push(`${name}: ${run?.fault ?? 'no run'}`);
    else if (broken !== undefined) faults.push(`${name}: ${broken.oracle} is broken again: ${broken.text}`);
  }
  for (const { name, plan } of corpusOf(openOf(corpus))) {
    const broken = new Set(replay(plan, mutant)?.violations.map(({ oracle }) => oracle));
    if (broken.size === 0) faults.push(`open/${name}: ${plan.oracle} holds now; move it to the corpus`);
    else if (!broken.has(plan.oracle)) faults.push(`open/${name}: found was ${[...broken].join(' ')}`);
  }
  return faults;
}
