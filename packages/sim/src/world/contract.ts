import type { Kernel } from '../kernel/kernel.ts';
import type { Violation } from '../oracles/observations.ts';

/** A world that is set up and waits for the kernel. */
export interface PreparedWorld {
  /** Virtual milliseconds after which the run ends. */
  readonly endMs: number;
  /** Called after the end: what was counted. */
  counts(): Readonly<Record<string, number>>;
  /** Called after the end: what the oracles found. */
  violations(): readonly Violation[];
}

/** Makes a world of one kernel; everything that it draws comes from the kernel's seed. */
export type World = (kernel: Kernel) => PreparedWorld;
