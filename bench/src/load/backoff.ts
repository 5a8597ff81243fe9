/** Of the stock client. */
const MIN_DELAY_MS = 500;
const MAX_DELAY_MS = 20_000;

/**
 * The stock client's full jitter: how long to wait before the reconnect attempt after `step` failed ones. `fraction` is
 * drawn from [0, 1).
 */
export function backoff(step: number, fraction: number = Math.random()): number {
  const interval = fraction * Math.min(MAX_DELAY_MS, MIN_DELAY_MS * 2 ** step);
  return Math.min(MAX_DELAY_MS, MIN_DELAY_MS + interval);
}
