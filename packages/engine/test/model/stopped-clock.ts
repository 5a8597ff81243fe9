import type { Clock } from '@msg/foundation/clock';

/** Time that stands still, for wheels whose timers are not to fire: brokers forget by themselves when they are read. */
export const STOPPED_CLOCK: Clock = {
  now: () => 0,
  monotonic: () => 0,
  setTimeout: () => ({}),
  clearTimeout: () => {},
  afterTurn: () => {},
  deadline: () => new AbortController().signal,
};
