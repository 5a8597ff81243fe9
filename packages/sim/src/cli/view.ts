import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { promiseOf } from '../oracles/all.ts';
import { shownSwitches } from '../plan/classes.ts';
import { type ViewedRun, viewPage } from '../view/page.ts';
import { textOf } from './adopt.ts';
import { type Arguments, BadUse } from './arguments.ts';
import { requestOf } from './corpus.ts';
import { EXIT, type Print } from './exit.ts';
import { type PlanFile, readPlan } from './plan-file.ts';
import type { PlayedRun } from './request.ts';
import { playInProcess } from './run-process.ts';

/**
 * Plays the plan of a file and writes one HTML file that shows the run.
 * @throws BadUse
 */
export function view(
  { file, mutant }: Pick<Arguments, 'file' | 'mutant'>,
  print: Print,
  folder: string,
): number {
  const plan = readPlan(textOf(file), file);
  const [run] = playInProcess({ ...requestOf(plan, mutant), timeline: true });
  if (run === undefined || run.fault !== undefined) {
    print(`the plan cannot be played: ${run?.fault ?? 'no run'}`);
    return EXIT.simulator;
  }
  if (run.timeline === undefined) throw new BadUse(`${file}: class ${plan.class} tells no events`);
  mkdirSync(folder, { recursive: true });
  const page = join(folder, `${basename(file, '.json')}.html`);
  writeFileSync(page, viewPage(viewedRun(plan, run, againOf(file, mutant))));
  print(
    `${relative(process.cwd(), page)} shows ${violationOf(plan, run)?.oracle ?? 'a run without a violation'}`,
  );
  return EXIT.clean;
}

/** What the page shows of a played plan. */
function viewedRun(plan: PlanFile, run: PlayedRun, again: string): ViewedRun {
  const broken = violationOf(plan, run);
  const { clients, channels, switches = {} } = run.plan;
  return {
    oracle: broken?.oracle ?? '',
    promise: promiseOf(broken?.oracle),
    observed: broken?.text ?? '',
    atUs: broken?.atUs ?? run.virtualMs * 1000,
    facts: [
      ['Class', plan.class],
      ['Seed', String(plan.seed)],
      ['Hash', run.hash],
      ['Clients', String(clients.length)],
      ['Channels', String(channels.length)],
      ['Faults', String(plan.steps.length)],
      ['Switches', shownSwitches(plan.class, switches) || 'all at their simplest'],
    ],
    again,
    events: run.timeline ?? [],
  };
}

/** Of the promise that the plan is about, or the first one. */
function violationOf(
  { oracle }: PlanFile,
  { violations }: PlayedRun,
): PlayedRun['violations'][number] | undefined {
  return violations.find(violation => violation.oracle === oracle) ?? violations[0];
}

function againOf(file: string, mutant: string | undefined): string {
  const planted = mutant === undefined ? '' : ` --mutant ${mutant}`;
  return `npm run sim -- replay ${relative(process.cwd(), file)}${planted}`;
}
