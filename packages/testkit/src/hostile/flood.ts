export interface FloodOptions {
  /** Attempts in all. */
  readonly count: number;
  /** Attempts under way at a time. Default 64. */
  readonly parallel?: number;
}

/** What became of a flood. */
export interface FloodOutcome<T> {
  /** Results of the attempts that succeeded, in the order they finished. */
  readonly results: readonly T[];
  readonly failures: readonly unknown[];
}

const PARALLEL = 64;

/** Makes `count` attempts, some of them at a time, and waits for all. It ends by itself and never rejects. */
export async function flood<T>(
  options: FloodOptions,
  attempt: (index: number) => Promise<T>,
): Promise<FloodOutcome<T>> {
  const { count, parallel = PARALLEL } = options;
  const results: T[] = [];
  const failures: unknown[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      try {
        results.push(await attempt(next++));
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallel, count) }, worker));
  return { results, failures };
}
