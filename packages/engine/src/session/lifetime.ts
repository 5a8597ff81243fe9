import type { Clock } from '@msg/foundation/clock';
import type { Expiry } from '../policy.ts';
import type { NodeContext } from './context.ts';

/**
 * How long the credential of a connection or a subscription lasts. Its end is a moment of the wall clock, which may be
 * set; the wait for it is a duration, measured by monotonic time, and when that is over the wall clock is asked again.
 */
export class Lifetime {
  /** The client is the one to refresh it. */
  readonly clientRefresh: boolean;
  /** The moment of monotonic time at which {@link isOver} is to be asked. */
  dueAt: number;
  /** Unix milliseconds, grace included. */
  readonly #endsAt: number;

  /** @param graceMs what a client that refreshes has beyond the end */
  constructor(expiry: Expiry, graceMs: number, clock: Clock) {
    this.clientRefresh = expiry.clientRefresh;
    this.#endsAt = expiry.at + (expiry.clientRefresh ? graceMs : 0);
    this.dueAt = clock.monotonic() + this.#endsAt - clock.now();
  }

  /** The lifetime of credentials that a node accepts now; null: they last for ever. */
  static of(
    expiry: Expiry | undefined,
    { limits, clock }: Pick<NodeContext, 'limits' | 'clock'>,
  ): Lifetime | null {
    return expiry === undefined ? null : new Lifetime(expiry, limits.expiryGraceMs, clock);
  }

  /** Whether it is over by the wall clock too. If not, the clock was set back: the wait goes on for what is left. */
  isOver(clock: Clock): boolean {
    const left = this.#endsAt - clock.now();
    if (left <= 0) return true;
    this.dueAt = clock.monotonic() + left;
    return false;
  }
}
