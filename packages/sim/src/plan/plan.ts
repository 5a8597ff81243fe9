import type { Step } from './steps.ts';
import type { Switches } from './switches.ts';

/** What of a run is not as its seed draws it. */
export interface Plan {
  /** These switches have these values. */
  readonly switches?: Switches;
  /** These faults happen, and no others. */
  readonly steps?: readonly Step[];
  /** Only the clients of these numbers start. */
  readonly clients?: readonly number[];
  /** Only in the channels of these numbers something happens. */
  readonly channels?: readonly number[];
  /** The run is so long, in virtual hours; absent: as its switches say. */
  readonly hours?: number;
  /** The run ends so early, virtual milliseconds. */
  readonly endMs?: number;
}

/** A run as it was drawn or planned: played as a plan it is the same run. */
export interface DrawnPlan {
  /** Absent: the class has none. */
  readonly switches?: Switches;
  /** Absent: as the switches say. */
  readonly hours?: number;
  readonly steps: readonly Step[];
  readonly clients: readonly number[];
  readonly channels: readonly number[];
  readonly endMs: number;
}
