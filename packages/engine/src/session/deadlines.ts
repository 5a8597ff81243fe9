import { Disconnect, disconnect, NORMAL_CLOSURE } from '../errors.ts';
import { WheelTimer } from '../timers/timer-wheel.ts';
import type { NodeContext } from './context.ts';

const NEVER = Number.POSITIVE_INFINITY;

/** What deadlines ask of their connection, and have it do. */
export interface DeadlineEvents {
  readonly closed: boolean;
  /** Reading is stopped on our side: the peer's silence proves nothing. */
  readonly readingPaused: boolean;
  /** The moment at which credentials may be over; infinite when none end. */
  readonly expiresAt: number;
  /** What keeps presence entries alive and checks positions. */
  readonly subscriptions: { tick(): void };
  /** Ends the connection after what is queued. */
  close(disconnect: Disconnect): void;
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

/** The one timer of a connection. All of them share one function: a closure of each would cost more than the timer. */
class DeadlineTimer extends WheelTimer {
  readonly deadlines: Deadlines;

  constructor(deadlines: Deadlines) {
    super(runDeadlines);
    this.deadlines = deadlines;
  }
}

function runDeadlines(timer: WheelTimer): void {
  const { deadlines } = timer as DeadlineTimer;
  deadlines.runDue();
  deadlines.rearm();
}

/** What the deadlines of one node share. */
export type DeadlineContext = Pick<NodeContext, 'clock' | 'limits' | 'random' | 'wheel'>;

/**
 * What a connection has to do when time passes, all on its one timer: pings and their pongs, presence and
 * position ticks, expiry, and giving up on a client that never connects (client protocol 5, 6.1, 6.4). Moments
 * are those of monotonic time.
 */
export class Deadlines {
  readonly #context: DeadlineContext;
  readonly #events: DeadlineEvents;
  readonly #pings: Pings;
  readonly #timer = new DeadlineTimer(this);
  #staleAt: number;
  #rejectedAt = NEVER;
  #pingAt = NEVER;
  #pongDueAt = NEVER;
  #tickAt = NEVER;

  constructor(context: DeadlineContext, events: DeadlineEvents, pings: Pings) {
    this.#context = context;
    this.#events = events;
    this.#pings = pings;
    this.#staleAt = context.clock.monotonic() + context.limits.staleMs;
  }

  /** Sets the timer to the earliest moment at which something is due. */
  rearm(): void {
    if (this.#events.closed) return;
    const { wheel, clock } = this.#context;
    wheel.schedule(this.#timer, this.nextAt() - clock.monotonic());
  }

  /** The connection is over: nothing is due any more. */
  cancel(): void {
    this.#context.wheel.cancel(this.#timer);
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
    this.#events.subscriptions.tick();
  }
}
