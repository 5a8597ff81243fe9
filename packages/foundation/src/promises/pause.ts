import type { Clock } from '../clock/clock.ts';

/** Resolves after `ms` milliseconds, or when the signal aborts. The process stays alive until then. */
export async function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = clock.setTimeout(resolve, ms, true);
  const end = (): void => resolve();
  signal?.addEventListener('abort', end);
  await promise;
  signal?.removeEventListener('abort', end);
  clock.clearTimeout(timer);
}
