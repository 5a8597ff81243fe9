import type { ManualClock } from '@msg/foundation/clock/testing';

/** An empty store that follows the clock. */
export interface TimedSubject<Store> {
  readonly store: Store;
  readonly clock: ManualClock;
}
