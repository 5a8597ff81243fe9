import type { Clock } from '@msg/foundation/clock';

/**
 * Runs one attempt with a time limit: its signal is aborted with the caller's, or with a `TimeoutError` after `ms` on the
 * clock.
 */
export async function withDeadline<T>(
  clock: Clock,
  ms: number,
  signal: AbortSignal | undefined,
  attempt: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const timer = clock.setTimeout(
    () => limit.abort(new DOMException(`no answer within ${ms} ms`, 'TimeoutError')),
    ms,
  );
  const onAbort = () => limit.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted) onAbort();
  try {
    return await attempt(limit.signal);
  } finally {
    clock.clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}
