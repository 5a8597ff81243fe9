import { defined } from '@msg/foundation/json';
import type { Violation } from '../../oracles/observations.ts';
import type { PlayedRun } from '../request.ts';

/** What a worker is asked to play; one line of its standard input. */
export interface Task {
  readonly world: string;
  readonly seed: number;
}

/** What of a finished seed the campaign keeps; one line of the journal. */
export interface Finished extends Task {
  readonly hash: string;
  /** Virtual milliseconds. */
  readonly virtualMs: number;
  /** Two nodes or more on one store. */
  readonly isCluster: boolean;
  /** Milliseconds of the processor, with everything that the worker did for this seed. */
  readonly coreMs: number;
  /** Memory of the worker after it, MiB. */
  readonly rssMiB: number;
  readonly events: number;
  readonly counts: Readonly<Record<string, number>>;
  /** How often each kind of fault happened. */
  readonly faults: Readonly<Record<string, number>>;
  /** How often clients were told each code of an end. */
  readonly codes: Readonly<Record<string, number>>;
  /** The first violation of each oracle. */
  readonly violations: readonly Violation[];
  /** The simulator's own fault. */
  readonly fault?: string;
}

/** Longest text of a violation or fault that is kept. */
const LONGEST_TEXT = 500;

/** What the campaign keeps of a run. */
export function finishedOf(
  world: string,
  run: PlayedRun,
  cost: Pick<Finished, 'coreMs' | 'rssMiB'>,
): Finished {
  const { seed, hash, virtualMs, events, counts, codes, plan } = run;
  const byOracle = Object.values(Object.groupBy(run.violations, ({ oracle }) => oracle));
  const steps = plan.steps.filter(({ atMs }) => atMs <= virtualMs);
  const faults = Object.groupBy(steps, ({ name }) => name);
  return {
    ...{ world, seed, hash, virtualMs, isCluster: Number(plan.switches?.['nodes'] ?? 1) > 1, ...cost },
    ...{ events, counts, codes },
    faults: Object.fromEntries(Object.entries(faults).map(([name, same = []]) => [name, same.length])),
    violations: byOracle.flatMap((same = []) =>
      same.slice(0, 1).map(violation => ({ ...violation, text: violation.text.slice(0, LONGEST_TEXT) })),
    ),
    ...defined({ fault: run.fault?.slice(0, LONGEST_TEXT) }),
  };
}

/** A seed of which nothing is known but that its process ended. */
export function lostSeed({ world, seed }: Task, fault: string): Finished {
  const nothing = { hash: '', virtualMs: 0, isCluster: false, coreMs: 0, rssMiB: 0, events: 0 };
  return {
    ...{ world, seed, ...nothing, counts: {}, faults: {}, codes: {}, violations: [] },
    fault: fault.slice(0, LONGEST_TEXT),
  };
}
