import { Disconnect, disconnect, NORMAL_CLOSURE } from '../errors.ts';
import { WheelTimer } from '../timers/timer-wheel.ts';
import type { NodeContext } from './context.ts';

const NEVER = Number.POSITIVE_INFINITY;

/** The connection port of its deadlines. */
export interface DeadlineEvents {
  readonly closed: boolean;
  /** True while this side does not read: the peer's silence then proves nothing. */
  readonly readingPaused: boolean;
  /** The moment at which credentials may expire; infinite when none expire. */
  readonly expiresAt: number;
  /** Refreshes presence entries and checks positions at each tick. */
  readonly subscriptions: { tick(): void };
  /** Ends the connection after the queued messages. */
  close(disconnect: Disconnect): void;
  /** Ends or renews expired credentials. */
  expire(now: number): void;
}

/** Sends the pings of a connection. */
export interface Pings {
  /** How long the peer may take to answer a ping, milliseconds. */
  readonly pongMs: number;
  /** Sends one ping. */
  ping(): void;
}

/** The one timer of a connection. All timers share one function: a closure for each would cost more than the timer. */
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

/** Shared by the deadlines of one node. */
export type DeadlineContext = Pick<NodeContext, 'clock' | 'limits' | 'random' | 'wheel'>;

/**
 * The deadlines of a connection on one timer: pings and their pongs, presence and position ticks, expiry, and the end of
 * a client that never connects (client protocol 5, 6.1, 6.4). All moments are monotonic time.
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

  /** Cancels all deadlines: the connection ended. */
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

  /** The connect got an error reply: only the close of the transport is due. */
  rejected(): void {
    this.#staleAt = NEVER;
    this.#rejectedAt = this.#context.clock.monotonic() + this.#context.limits.refusedMs;
  }

  /** A pong arrived; returns false when none was due. */
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
