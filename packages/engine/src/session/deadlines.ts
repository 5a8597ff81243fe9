import { Disconnect, disconnect, NORMAL_CLOSURE } from '../errors.ts';
import type { NodeContext } from './context.ts';

const NEVER = Number.POSITIVE_INFINITY;

/** What deadlines ask of their connection, and have it do. */
export interface DeadlineEvents {
  readonly closed: boolean;
  /** Reading is stopped on our side: the peer's silence proves nothing. */
  readonly readingPaused: boolean;
  /** The moment at which credentials may be over; infinite when none end. */
  readonly expiresAt: number;
  /** Ends the connection after what is queued. */
  close(disconnect: Disconnect): void;
  /** Keeps presence entries alive and checks positions. */
  tick(): void;
  /** Ends or renews the credentials that are over. */
  expire(now: number): void;
}

/** Sends the pings of a connection. */
export interface Pings {
  /** How long the peer may take to answer a ping, milliseconds. */
  readonly pongMs: number;
  /** Sends one ping. */
  ping(): void;
}

/**
 * What a connection has to do when time passes, all on its one timer: pings and their pongs, presence and
 * position ticks, expiry, and giving up on a client that never connects (client protocol 5, 6.1, 6.4). Moments
 * are those of monotonic time.
 */
export class Deadlines {
  readonly #context: Pick<NodeContext, 'clock' | 'random' | 'limits'>;
  readonly #events: DeadlineEvents;
  readonly #pings: Pings;
  #staleAt: number;
  #rejectedAt = NEVER;
  #pingAt = NEVER;
  #pongDueAt = NEVER;
  #tickAt = NEVER;

  constructor(
    context: Pick<NodeContext, 'clock' | 'random' | 'limits'>,
    events: DeadlineEvents,
    pings: Pings,
  ) {
    this.#context = context;
    this.#events = events;
    this.#pings = pings;
    this.#staleAt = context.clock.monotonic() + context.limits.staleMs;
  }

  /** The earliest moment at which something is due. */
  nextAt(): number {
    return Math.min(
      this.#staleAt,
      this.#rejectedAt,
      this.#pingAt,
      this.#pongDueAt,
      this.#tickAt,
      this.#events.expiresAt,
    );
  }

  /**
   * The connect succeeded. The first ping and the first tick come at a random moment of the second half of their
   * interval, so that connections do not act in step.
   */
  start(): void {
    const { clock, random, limits } = this.#context;
    const now = clock.monotonic();
    const fraction = random.fraction();
    this.#staleAt = NEVER;
    if (limits.pingMs > 0) this.#pingAt = now + (limits.pingMs / 2) * (1 + fraction);
    this.#tickAt = now + (limits.presenceMs / 2) * (1 + fraction);
  }

  /** The connect was answered with an error, and a close frame follows in a while. */
  rejected(): void {
    this.#staleAt = NEVER;
    this.#rejectedAt = this.#context.clock.monotonic() + this.#context.limits.refusedMs;
  }

  /** A pong arrived. False when none was due. */
  onPong(): boolean {
    const due = this.#pongDueAt !== NEVER;
    this.#pongDueAt = NEVER;
    return due;
  }

  /** Does everything that is due. */
  runDue(): void {
    const events = this.#events;
    const now = this.#context.clock.monotonic();
    if (this.#staleAt <= now) events.close(disconnect.stale());
    else if (this.#rejectedAt <= now) events.close(new Disconnect(NORMAL_CLOSURE, 'connect refused'));
    else if (this.#pongDueAt <= now) this.#onPongMissing(now);
    if (events.closed) return;
    if (this.#pingAt <= now) this.#ping(now);
    if (this.#tickAt <= now) this.#tick(now);
    if (!events.closed && events.expiresAt <= now) events.expire(now);
  }

  #onPongMissing(now: number): void {
    if (this.#events.readingPaused) this.#pongDueAt = now + this.#pings.pongMs;
    else this.#events.close(disconnect.noPong());
  }

  #ping(now: number): void {
    this.#pingAt = now + this.#context.limits.pingMs;
    this.#pongDueAt = now + this.#pings.pongMs;
    this.#pings.ping();
  }

  #tick(now: number): void {
    this.#tickAt = now + this.#context.limits.presenceMs;
    this.#events.tick();
  }
}
