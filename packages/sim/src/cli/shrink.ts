import { defined } from '@msg/foundation/json';
import type { PlayedRun, PlayRequest } from './request.ts';
import { playInProcess } from './run-process.ts';

/** A seed with fewer faults that still breaks the same promise. */
export interface Shrunk {
  readonly oracle: string;
  /** Numbers of the faults that it needs. */
  readonly faults: readonly number[];
  readonly run: PlayedRun;
}

/**
 * Leaves out faults of a seed, in halves and then one by one, as long as the oracle that found it still does. Undefined: the
 * seed breaks no promise.
 */
export function shrink(request: Omit<PlayRequest, 'seeds'>, seed: number): Shrunk | undefined {
  const play = (faults?: readonly number[]): PlayedRun | undefined =>
    playInProcess({ ...request, seeds: [seed], ...defined({ faults }) })[0];
  const whole = play(request.faults);
  const oracle = whole?.violations[0]?.oracle;
  if (whole === undefined || oracle === undefined) return undefined;
  let least: { faults: readonly number[]; run: PlayedRun } = {
    faults: request.faults ?? whole.faults.map((_, number) => number),
    run: whole,
  };
  for (
    let size = Math.ceil(least.faults.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let from = 0; from < least.faults.length; ) {
      const faults = least.faults.toSpliced(from, size);
      const run = play(faults);
      if (run?.violations.some(violation => violation.oracle === oracle) === true) least = { faults, run };
      else from += size;
    }
  }
  return { oracle, ...least };
}
