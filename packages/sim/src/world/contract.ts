import type { Kernel } from '../kernel/kernel.ts';
import type { Violation } from '../oracles/observations.ts';
import type { Plan } from '../plan/plan.ts';
import type { Step } from '../plan/steps.ts';
import type { Switches } from '../plan/switches.ts';
import type { TimelineEvent } from '../plan/timeline.ts';

/** A world that is set up and waits for the kernel. */
export interface PreparedWorld {
  /** Virtual milliseconds after which the run ends. */
  readonly endMs: number;
  /** What the seed drew, or the plan says. */
  readonly drawn: {
    readonly switches?: Switches;
    readonly steps?: readonly Step[];
    /** How many there are, with those that the plan leaves out. */
    readonly clients?: number;
    readonly channels?: number;
  };
  /** Called after the end: what was counted. */
  counts(): Readonly<Record<string, number>>;
  /** Called after the end: what a reader wants to see; absent: the class tells nothing. */
  timeline?(): readonly TimelineEvent[];
  /** Called after the end: what the oracles found. */
  violations(): readonly Violation[];
}

/** Makes a world of one kernel; everything that the plan leaves open is drawn from the kernel's seed. */
export type World = (kernel: Kernel, plan: Plan) => PreparedWorld;
