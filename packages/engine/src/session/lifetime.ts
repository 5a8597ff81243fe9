import type { Clock } from '@msg/foundation/clock';
import type { Expiry } from '../policy.ts';
import type { NodeContext } from './context.ts';

/**
 * The lifetime of a connection's or subscription's credential. Its end is wall-clock time, which may be set; the wait for
 * it is measured by monotonic time, and after the wait the wall clock is read again.
 */
export class Lifetime {
  /** The client refreshes it. */
  readonly clientRefresh: boolean;
  /** The moment of monotonic time at which to call {@link isOver}. */
  dueAt: number;
  /** Unix milliseconds, grace included. */
  readonly #endsAt: number;

  /** @param graceMs extra time of a client that refreshes */
  constructor(expiry: Expiry, graceMs: number, clock: Clock) {
    this.clientRefresh = expiry.clientRefresh;
    this.#endsAt = expiry.at + (expiry.clientRefresh ? graceMs : 0);
    this.dueAt = clock.monotonic() + this.#endsAt - clock.now();
  }

  /** The lifetime of credentials that a node accepts now; null: without end. */
  static of(
    expiry: Expiry | undefined,
    { limits, clock }: Pick<NodeContext, 'limits' | 'clock'>,
  ): Lifetime | null {
    return expiry === undefined ? null : new Lifetime(expiry, limits.expiryGraceMs, clock);
  }

  /** Whether it ended by the wall clock too. If not, the clock was set back, and the wait continues for the rest. */
  isOver(clock: Clock): boolean {
    const left = this.#endsAt - clock.now();
    if (left <= 0) return true;
    this.dueAt = clock.monotonic() + left;
    return false;
  }
}
