import type { DrawnPlan } from '../plan/plan.ts';
import type { PlayedRun, PlayRequest } from './request.ts';
import { playInProcess } from './run-process.ts';

/** A seed with fewer faults that still breaks the same promise. */
export interface Shrunk {
  readonly oracle: string;
  readonly plan: DrawnPlan;
  readonly run: PlayedRun;
}

/**
 * Leaves out faults of a seed, in halves and then one by one, as long as the oracle that found it still does. Undefined: the
 * seed breaks no promise.
 */
export function shrink(request: Omit<PlayRequest, 'seeds'>, seed: number): Shrunk | undefined {
  const play = (plan: PlayRequest['plan']): PlayedRun | undefined =>
    playInProcess({ ...request, seeds: [seed], plan: { ...request.plan, ...plan } })[0];
  const whole = play({});
  const oracle = whole?.violations[0]?.oracle;
  if (whole === undefined || oracle === undefined) return undefined;
  let least = { plan: whole.plan, run: whole };
  for (
    let size = Math.ceil(whole.plan.steps.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let from = 0; from < least.plan.steps.length; ) {
      const run = play({ ...least.plan, steps: least.plan.steps.toSpliced(from, size) });
      if (run?.violations.some(violation => violation.oracle === oracle) === true)
        least = { plan: run.plan, run };
      else from += size;
    }
  }
  return { oracle, ...least };
}
