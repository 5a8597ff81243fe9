/** Handle of a pending timer; pass it back to {@link Clock.clearTimeout}. */
export type TimerHandle = object;

/**
 * The only source of time in the engine. Tests inject their own, so that nothing sleeps.
 */
export interface Clock {
  /** Wall clock, Unix milliseconds. */
  now(): number;
  /** Runs `callback` once after `ms` milliseconds. Delays above 2^31−1 ms are not supported: use the timer wheel. */
  setTimeout(callback: () => void, ms: number): TimerHandle;
  clearTimeout(handle: TimerHandle): void;
}

/** The system clock. Its timers never keep the process alive. */
export const systemClock: Clock = {
  now: Date.now,
  setTimeout(callback, ms) {
    return setTimeout(callback, ms).unref();
  },
  clearTimeout(handle) {
    clearTimeout(handle as NodeJS.Timeout);
  },
};
