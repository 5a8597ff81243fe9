/** Handle of a pending timer; pass it back to {@link Clock.clearTimeout}. */
export type TimerHandle = object;

/**
 * The only source of time in the engine. Tests inject their own, so that nothing sleeps.
 */
export interface Clock {
  /** Wall clock, Unix milliseconds. */
  now(): number;
  /** Runs `callback` once after `ms` milliseconds; of a longer delay after 2^31−1 ms, some 24 days. */
  setTimeout(callback: () => void, ms: number): TimerHandle;
  clearTimeout(handle: TimerHandle): void;
}

/** What Node's timers can; a longer delay would fire at once. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

/** The system clock. Its timers never keep the process alive. */
export const systemClock: Clock = {
  now: Date.now,
  setTimeout(callback, ms) {
    return setTimeout(callback, Math.min(ms, LONGEST_DELAY_MS)).unref();
  },
  clearTimeout(handle) {
    clearTimeout(handle as NodeJS.Timeout);
  },
};
