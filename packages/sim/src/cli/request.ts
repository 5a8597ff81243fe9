import type { Violation } from '../oracles/observations.ts';
import type { DrawnFault } from '../world/faults.ts';

/** What the process of a run is asked to play; one argument, as JSON. */
export interface PlayRequest {
  readonly world: string;
  readonly seeds: readonly number[];
  /** Refuse real resources by an async hook. */
  readonly guard: boolean;
  /** A file that gets a line for every event of the last seed. */
  readonly record?: string;
  /** Of the faults that a seed draws only these numbers happen. Absent: all. */
  readonly faults?: readonly number[];
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
  readonly counts: Readonly<Record<string, number>>;
  readonly violations: readonly Violation[];
  /** Those that were drawn, whether they happened or not. */
  readonly faults: readonly DrawnFault[];
  /** The simulator's own fault, with its stack. */
  readonly fault?: string;
}
