import { mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { type Arguments, BadUse } from './arguments.ts';
import { CORPUS, corpusOf, openOf, replay } from './corpus.ts';
import { EXIT, type Print } from './exit.ts';
import { readPlan } from './plan-file.ts';

/**
 * Moves the file of a plan into the corpus: to the open findings as long as it breaks its promise. With a planted bug the
 * plan is played with it.
 * @throws BadUse
 */
export function adopt(
  { file, name, mutant }: Pick<Arguments, 'file' | 'name' | 'mutant'>,
  print: Print,
  corpus = CORPUS,
): number {
  const open = openOf(corpus);
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name))
    throw new BadUse(`--name must be words with dashes between; got ${JSON.stringify(name)}`);
  const plan = readPlan(textOf(file), file);
  mkdirSync(open, { recursive: true });
  if ([...corpusOf(corpus), ...corpusOf(open)].some(entry => entry.name === name))
    throw new BadUse(`the corpus has a plan that is named ${name}`);
  const run = replay(plan, mutant);
  if (run === undefined || run.fault !== undefined) {
    print(`the plan cannot be played: ${run?.fault ?? 'no run'}`);
    return EXIT.simulator;
  }
  const isOpen = run.violations.some(({ oracle }) => oracle === plan.oracle);
  const others = run.violations.filter(({ oracle }) => oracle !== plan.oracle);
  if (!isOpen && others.length > 0)
    throw new BadUse(`the plan is of ${plan.oracle} and breaks ${others[0]?.oracle}`);
  const target = join(isOpen ? open : corpus, `${name}.json`);
  renameSync(file, target);
  print(
    `${target}: ${isOpen ? `${plan.oracle} is broken; fix it and move the file up` : 'nothing is broken'}`,
  );
  return EXIT.clean;
}

/** @throws BadUse */
export function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new BadUse(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
