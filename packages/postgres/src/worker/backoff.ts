import type { Random } from '@msg/foundation/clock';

const FIRST_MS = 100;
const LONGEST_MS = 10_000;

/** 100 ms doubling to 10 s, of which up to a half is left to chance. @param attempts failed attempts before this wait */
export function backoffMs(attempts: number, random: Pick<Random, 'fraction'>): number {
  const most = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempts, 10));
  return Math.round(most * (0.5 + random.fraction() / 2));
}
