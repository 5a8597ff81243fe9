import type { Clock } from '../clock/clock.ts';

/**
 * Waits for `work` for at most `ms` milliseconds, then returns the result of `late`, or throws its error. The work
 * continues, and its later outcome is ignored.
 */
export async function withDeadline<T, L>(
  clock: Clock,
  ms: number,
  work: Promise<T>,
  late: () => L,
): Promise<T | L> {
  const { promise: expired, resolve } = Promise.withResolvers<void>();
  const timer = clock.setTimeout(resolve, ms);
  try {
    return await Promise.race([work, expired.then(late)]);
  } finally {
    clock.clearTimeout(timer);
  }
}
