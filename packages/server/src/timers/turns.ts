import type { Clock } from '@msg/foundation/clock';

/** Resolves after everything that is ready in this turn of the event loop. */
export function nextTurn(clock: Pick<Clock, 'afterTurn'>): Promise<void> {
  return new Promise(resolve => clock.afterTurn(resolve));
}
