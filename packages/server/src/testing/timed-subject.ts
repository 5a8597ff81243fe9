import type { ManualClock } from '@msg/foundation/clock/testing';

/** An empty store, in which time passes as on the clock. */
export interface TimedSubject<Store> {
  readonly store: Store;
  readonly clock: ManualClock;
}
