import type { Violation } from '../oracles/observations.ts';
import type { DrawnPlan, Plan } from '../plan/plan.ts';
import type { TimelineEvent } from '../plan/timeline.ts';

/** What the process of a run is asked to play; one argument, as JSON. */
export interface PlayRequest {
  readonly world: string;
  readonly seeds: readonly number[];
  /** Refuse real resources by an async hook. */
  readonly guard: boolean;
  /** A file that gets a line for every event of the last seed. */
  readonly record?: string;
  /** What is not as the seed draws it. */
  readonly plan?: Plan;
  /** Without log and oracles: what they cost is measured. */
  readonly isPlain?: boolean;
  /** Tell what happened. */
  readonly timeline?: true;
  /** A planted bug of `mutants/`, by its name. */
  readonly mutant?: string;
}

/** What one seed came to. */
export interface PlayedRun {
  readonly seed: number;
  readonly hash: string;
  readonly events: number;
  /** Virtual milliseconds. */
  readonly virtualMs: number;
  /** Milliseconds of the processor. */
  readonly cpuMs: number;
  /** Milliseconds of the processor for the oracles, which come after the run. */
  readonly oracleMs?: number;
  /** What lives after the run, and what the process has: only where a collection can be asked for. */
  readonly heapMiB?: number;
  readonly rssMiB?: number;
  readonly counts: Readonly<Record<string, number>>;
  /** How often clients were told each code of an end: unsubscribed, disconnected, or told to stop. */
  readonly codes: Readonly<Record<string, number>>;
  readonly violations: readonly Violation[];
  readonly plan: DrawnPlan;
  /** What happened, if that was asked and the class tells it. */
  readonly timeline?: readonly TimelineEvent[];
  /** The simulator's own fault, with its stack. */
  readonly fault?: string;
}
