const FIRST_RETRY_MS = 100;
/** Longest delay, after which delivery resumes once the store is back. */
const LAST_RETRY_MS = 1000;

/** The delay before the n-th reconnect, counted from 1: 100 ms, doubling up to 1 s. */
export function retryDelay(attempt: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** (attempt - 1), LAST_RETRY_MS);
}
