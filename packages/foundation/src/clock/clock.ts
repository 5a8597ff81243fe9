/** Declared for browsers and Node.js; only timers of Node.js have `unref`. */
declare function setTimeout(callback: () => void, ms: number): object & { unref?(): unknown };
declare function clearTimeout(handle: object): void;

/** Read once, because Node.js resolves the global at each use. */
const { performance } = globalThis;

/** Node.js only; in a browser a timer runs after everything that is ready. */
const { setImmediate } = globalThis as { setImmediate?: (callback: () => void) => unknown };

/** Handle of a pending timer; pass it back to {@link Clock.clearTimeout}. */
export type TimerHandle = object;

/**
 * The only source of time and of turns. Tests inject their own, so that nothing sleeps.
 */
export interface Clock {
  /** Wall clock, Unix milliseconds; it may be set back or forward at any moment. For claims and timestamps. */
  now(): number;
  /** Milliseconds since any fixed moment, which never go back. For everything that measures or waits. */
  monotonic(): number;
  /**
   * Runs `callback` once after `ms` milliseconds; of a longer delay after 2^31−1 ms, some 24 days. The timer alone does
   * not keep the process alive, unless `keepAlive` is true: for work whose result the process exists for.
   */
  setTimeout(callback: () => void, ms: number, keepAlive?: boolean): TimerHandle;
  clearTimeout(handle: TimerHandle): void;
  /** Runs `callback` once, after everything that is ready in this turn of the event loop. */
  afterTurn(callback: () => void): void;
  /** A signal that aborts with a `TimeoutError` after `ms` milliseconds. */
  deadline(ms: number): AbortSignal;
}

/** Longest delay of a timer; a longer one would fire at once. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

/**
 * Checks that a clock has every member: embedders bring clocks of their own.
 * @throws TypeError that names the member which is missing.
 */
export function assertClock(clock: Clock): void {
  for (const member of CLOCK_MEMBERS) {
    if (typeof clock[member] !== 'function') throw new TypeError(`clock.${member} must be a function`);
  }
}

const CLOCK_MEMBERS = [
  'now',
  'monotonic',
  'setTimeout',
  'clearTimeout',
  'afterTurn',
  'deadline',
] as const satisfies (keyof Clock)[];

/** The system clock. */
export const systemClock: Clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  setTimeout(callback, ms, keepAlive) {
    const handle = setTimeout(callback, Math.min(ms, LONGEST_DELAY_MS));
    if (keepAlive !== true) handle.unref?.();
    return handle;
  },
  clearTimeout(handle) {
    clearTimeout(handle); // wrapped, because browsers refuse the function as a member of another object
  },
  // Not wrapped: a delivering node calls it once per turn.
  afterTurn: setImmediate ?? (callback => setTimeout(callback, 0)),
  deadline: ms => AbortSignal.timeout(ms),
};
