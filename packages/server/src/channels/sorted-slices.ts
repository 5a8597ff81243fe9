import type { Clock } from '@msg/foundation/clock';
import { nextTurn } from '../timers/turns.ts';

/** Records that one turn of the event loop looks at. */
export const SLICE = 1000;

/** Records that a turn merges: of the other run it has looked at one more. */
const MERGED = SLICE - 1;

type Compare<T> = (a: T, b: T) => number;

/** Sorts a copy, from the next turn of the event loop on: none looks at more than {@link SLICE} items. */
export async function sortedInSlices<T>(
  clock: Pick<Clock, 'afterTurn'>,
  items: Iterable<T>,
  compare: Compare<T>,
): Promise<T[]> {
  await nextTurn(clock);
  let runs: T[][] = [];
  for (const run of slicesOf(items)) {
    runs.push(run.sort(compare));
    await nextTurn(clock);
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let index = 0; index < runs.length; index += 2)
      merged.push(await mergedRuns(clock, runs[index] ?? [], runs[index + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

/** The items, so many at a time. */
export function* slicesOf<T>(items: Iterable<T>, most: number = SLICE): Iterable<T[]> {
  let slice: T[] = [];
  for (const item of items) {
    slice.push(item);
    if (slice.length < most) continue;
    yield slice;
    slice = [];
  }
  if (slice.length > 0) yield slice;
}

async function mergedRuns<T>(
  clock: Pick<Clock, 'afterTurn'>,
  a: readonly T[],
  b: readonly T[],
  compare: Compare<T>,
): Promise<T[]> {
  const merged: T[] = [];
  let [left, right] = [0, 0];
  while (left < a.length || right < b.length) {
    const takeLeft = right === b.length || (left < a.length && compare(a[left] as T, b[right] as T) <= 0);
    merged.push((takeLeft ? a[left++] : b[right++]) as T);
    if (merged.length % MERGED === 0) await nextTurn(clock);
  }
  await nextTurn(clock);
  return merged;
}
