import type { TimerHandle } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';

/** A longer step is a leap: years have too many looks of a link at its rings. */
const LEAP_MS = 60_000;

/**
 * A clock that stands still while messages between threads are on their way. A timer that is set during a leap comes due at
 * its end.
 */
export class SettlingClock extends ManualClock {
  /** Resolves when messages have arrived. */
  settle: () => Promise<void> = async () => {};
  /** How far the wall clock was set, milliseconds: shared with the clock of another thread. */
  readonly jumps: Float64Array<ArrayBufferLike>;
  #leapEnd = 0;

  constructor(jumps: Float64Array<ArrayBufferLike> = new Float64Array(new SharedArrayBuffer(8))) {
    super();
    this.jumps = jumps;
  }

  override now(): number {
    return super.now() + (this.jumps[0] ?? 0);
  }

  override jump(ms: number): void {
    this.jumps[0] = (this.jumps[0] ?? 0) + ms;
  }

  override setTimeout(callback: () => void, ms: number): TimerHandle {
    return super.setTimeout(callback, Math.max(ms, this.#leapEnd - this.monotonic()));
  }

  override async advance(ms: number): Promise<void> {
    await this.settle();
    if (ms > LEAP_MS) this.#leapEnd = this.monotonic() + ms;
    await super.advance(ms);
  }
}
