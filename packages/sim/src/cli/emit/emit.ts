import { join, relative } from 'node:path';
import { promiseOf } from '../../oracles/all.ts';
import { textOf } from '../adopt.ts';
import { type Arguments, BadUse } from '../arguments.ts';
import { replay } from '../corpus.ts';
import { EXIT, type Print } from '../exit.ts';
import { readPlan } from '../plan-file.ts';
import { brokenCases, modelFailure } from './levels.ts';
import { contractTest, corpusTest, modelTest, type Subject } from './skeletons.ts';

const ROOT = join(import.meta.dirname, '../../../../..');

/**
 * Prints a test of the smallest level that shows what the plan of a file shows: the store alone, one node in the engine's
 * model, or the whole cluster. Each level is played, with the planted bug if one is named.
 * @throws BadUse if the plan breaks nothing
 */
export function emit({ file, mutant }: Pick<Arguments, 'file' | 'mutant'>, print: Print): number {
  const plan = readPlan(textOf(file), file);
  const run = replay(plan, mutant);
  if (run === undefined || run.fault !== undefined) {
    print(`the plan cannot be played: ${run?.fault ?? 'no run'}`);
    return EXIT.simulator;
  }
  const broken = run.violations.find(({ oracle }) => oracle === plan.oracle) ?? run.violations[0];
  if (broken === undefined) {
    const planted = plan.mutant === undefined ? '' : `; it was found with --mutant ${plan.mutant}`;
    throw new BadUse(`${file} breaks nothing: there is nothing to test${planted}`);
  }
  print(
    testOf({ file: relative(ROOT, file), oracle: broken.oracle, promise: promiseOf(broken.oracle) }, mutant),
  );
  return EXIT.clean;
}

function testOf(subject: Subject, mutant: string | undefined): string {
  const cases = brokenCases(mutant);
  if (cases.length > 0) return contractTest(subject, cases);
  const failure = modelFailure(mutant);
  return failure === undefined ? corpusTest(subject) : modelTest(subject, failure);
}
