import type { Outcome } from './run.ts';
import type { Scenario } from './scenarios.ts';

/** Nothing waits longer for the store. */
const HANG_MS = 10_000;
/** A node queues nothing for a store that is away: what it grows by is garbage that waits for collection. */
const GROWTH_BYTES = 128 * 2 ** 20;

/** What is wrong with an outcome; empty if nothing is. */
export function problems({ outcome: expected }: Scenario, outcome: Outcome): readonly string[] {
  const found = [...outcome.faults.slice(0, 10)];
  const { unrecovered, longestMs, growth } = outcome;
  if (expected === 'whole' && unrecovered > 0) found.push(`${unrecovered} resubscribes lost something`);
  if (expected === 'told' && unrecovered === 0) found.push('the loss was not told');
  if (longestMs > HANG_MS) found.push(`a publish took ${Math.round(longestMs)} ms`);
  if (growth > GROWTH_BYTES) found.push(`a node grew by ${growth} bytes`);
  return found;
}

/** One line for people. */
export function summary(name: string, seed: number, outcome: Outcome): string {
  const { stored, rate, failed, received, recovered, unrecovered, longestMs, settledMs, growth } = outcome;
  return [
    `${name} (seed ${seed}): ${stored} stored (${Math.round(rate)}/s), ${failed} failed`,
    `${received} received, ${recovered} recovered, ${unrecovered} told of loss`,
    `longest publish ${Math.round(longestMs)} ms, settled after ${Math.round(settledMs)} ms`,
    `memory +${Math.round(growth / 2 ** 20)} MiB`,
  ].join('; ');
}
