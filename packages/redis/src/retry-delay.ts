const FIRST_RETRY_MS = 100;
/** Delivery depends on it: a store that is back is used within this time. */
const LAST_RETRY_MS = 1000;

/** How long to wait before the n-th try to reconnect, from 1: 100 ms, doubling to 1 s. */
export function retryDelay(attempt: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** (attempt - 1), LAST_RETRY_MS);
}
