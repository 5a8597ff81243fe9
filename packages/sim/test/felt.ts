import { expect } from 'vitest';
import type { PlayedRun } from '../src/cli/request.ts';

/** No promise was broken in the runs, and each of these happened in one of them. */
export function expectFelt(runs: readonly PlayedRun[], names: readonly string[]): void {
  for (const { fault, violations } of runs) expect([fault, violations]).toEqual([undefined, []]);
  for (const name of names) expect(sumOf(runs, name), name).toBeGreaterThan(0);
}

/** How often something happened in the runs together. */
export function sumOf(runs: readonly PlayedRun[], name: string): number {
  return runs.reduce((total, { counts }) => total + (counts[name] ?? 0), 0);
}
