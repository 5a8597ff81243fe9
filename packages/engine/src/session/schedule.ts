import type { Limits } from '../limits.ts';

const NEVER = Number.POSITIVE_INFINITY;

/** What the one timer of a connection may have to do. */
export type Duty = 'stale' | 'refused' | 'no-pong' | 'ping' | 'tick' | 'expiry';

/**
 * The moments at which a connection has something to do (client protocol 5, 6.1, 6.4), Unix milliseconds.
 * Holds no timer itself: one timer per connection, set to the earliest moment, serves all.
 */
export class Schedule {
  readonly #limits: Limits;
  #staleAt: number;
  #refusedAt = NEVER;
  #pingAt = NEVER;
  #pongDueAt = NEVER;
  #tickAt = NEVER;
  #expiryAt = NEVER;

  constructor(now: number, limits: Limits) {
    this.#limits = limits;
    this.#staleAt = now + limits.staleMs;
  }

  /** The earliest moment. */
  get next(): number {
    return Math.min(
      this.#staleAt,
      this.#refusedAt,
      this.#pingAt,
      this.#pongDueAt,
      this.#tickAt,
      this.#expiryAt,
    );
  }

  /** Takes the next duty that is due, or null. Repeating ones are set to their next moment. */
  take(now: number): Duty | null {
    if (this.#staleAt <= now) {
      this.#staleAt = NEVER;
      return 'stale';
    }
    if (this.#refusedAt <= now) {
      this.#refusedAt = NEVER;
      return 'refused';
    }
    if (this.#pongDueAt <= now) {
      this.#pongDueAt = NEVER;
      return 'no-pong';
    }
    if (this.#expiryAt <= now) {
      this.#expiryAt = NEVER;
      return 'expiry';
    }
    if (this.#pingAt <= now) {
      this.#pingAt = now + this.#limits.pingMs;
      return 'ping';
    }
    if (this.#tickAt <= now) {
      this.#tickAt = now + this.#limits.presenceMs;
      return 'tick';
    }
    return null;
  }

  /**
   * The connect succeeded. The first ping and the first tick come at a random moment (`fraction` in [0, 1)) of
   * the second half of their interval, so that connections do not act in step.
   */
  connected(now: number, pings: boolean, fraction: number): void {
    const { pingMs, presenceMs } = this.#limits;
    this.#staleAt = NEVER;
    if (pings) this.#pingAt = now + (pingMs / 2) * (1 + fraction);
    this.#tickAt = now + (presenceMs / 2) * (1 + fraction);
  }

  /** The connect was answered with an error: the transport is closed if the client does not do it. */
  refused(now: number): void {
    this.#refusedAt = now + this.#limits.refusedMs;
  }

  /** A ping was sent, its pong is due. */
  pinged(now: number): void {
    this.#pongDueAt = now + this.#limits.pongMs;
  }

  /** A pong arrived. False when none was due. */
  ponged(): boolean {
    const due = this.#pongDueAt !== NEVER;
    this.#pongDueAt = NEVER;
    return due;
  }

  /** When the connection's credentials have to be looked at; null: never. */
  expiryAt(at: number | null): void {
    this.#expiryAt = at ?? NEVER;
  }
}
