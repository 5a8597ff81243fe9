import type { Clock } from '@msg/foundation/clock';
import { nextTurn } from '../timers/turns.ts';

/** Connections that one turn of the event loop looks at. */
const WALK_SLICE = 2000;

/** Visits every item, a slice in one turn of the event loop. */
export async function walk<T>(
  clock: Pick<Clock, 'afterTurn'>,
  items: Iterable<T>,
  visit: (item: T) => void,
): Promise<void> {
  let count = 0;
  for (const item of items) {
    if (count > 0 && count % WALK_SLICE === 0) await nextTurn(clock);
    count += 1;
    visit(item);
  }
}
