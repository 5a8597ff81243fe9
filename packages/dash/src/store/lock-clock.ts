/** The time that locks need; tests bring their own. */
export interface LockClock {
  /** Wall clock, Unix milliseconds, as file systems keep it; it may be set at any moment. */
  now(): number;
  /** Milliseconds that never go back. */
  monotonic(): number;
  /** Resolves after so many milliseconds. */
  pause(ms: number): Promise<void>;
}

export const systemLockClock: LockClock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  pause(ms) {
    const { promise, resolve } = Promise.withResolvers<void>();
    setTimeout(resolve, ms);
    return promise;
  },
};
