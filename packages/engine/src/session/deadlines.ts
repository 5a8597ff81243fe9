import { Disconnect, disconnect, NORMAL_CLOSURE } from '../errors.ts';
import type { Session } from './session.ts';

const NEVER = Number.POSITIVE_INFINITY;

/**
 * What a connection has to do when time passes, all on its one timer: pings and their pongs, presence and
 * position ticks, expiry, and giving up on a client that never connects (client protocol 5, 6.1, 6.4). Moments
 * are those of monotonic time.
 */
export class Deadlines {
  readonly #session: Session;
  #staleAt: number;
  #rejectedAt = NEVER;
  #pingAt = NEVER;
  #pongDueAt = NEVER;
  #tickAt = NEVER;
  /** The policy is being asked about expired credentials. */
  #askingPolicy = false;

  constructor(session: Session) {
    this.#session = session;
    this.#staleAt = session.context.clock.monotonic() + session.limits.staleMs;
  }

  /** The earliest moment at which something is due. */
  nextAt(): number {
    return Math.min(
      this.#staleAt,
      this.#rejectedAt,
      this.#pingAt,
      this.#pongDueAt,
      this.#tickAt,
      this.#expiryAt(),
    );
  }

  /**
   * The connect succeeded. The first ping and the first tick come at a random moment of the second half of their
   * interval, so that connections do not act in step.
   */
  start(): void {
    const { clock, random, limits } = this.#session.context;
    const now = clock.monotonic();
    const fraction = random.fraction();
    this.#staleAt = NEVER;
    if (limits.pingMs > 0) this.#pingAt = now + (limits.pingMs / 2) * (1 + fraction);
    this.#tickAt = now + (limits.presenceMs / 2) * (1 + fraction);
  }

  /** The connect was answered with an error. */
  rejected(): void {
    // Stream transports stay open until the client leaves or the stale moment comes (client protocol 4.7).
    if (this.#session.announcesDisconnect) return;
    this.#staleAt = NEVER;
    this.#rejectedAt = this.#session.context.clock.monotonic() + this.#session.limits.refusedMs;
  }

  /** A pong arrived. False when none was due. */
  onPong(): boolean {
    const due = this.#pongDueAt !== NEVER;
    this.#pongDueAt = NEVER;
    return due;
  }

  /** Does everything that is due. */
  runDue(): void {
    const session = this.#session;
    const now = session.context.clock.monotonic();
    if (this.#staleAt <= now) session.close(disconnect.stale());
    else if (this.#rejectedAt <= now) session.close(new Disconnect(NORMAL_CLOSURE, 'connect refused'));
    else if (this.#pongDueAt <= now) this.#onPongMissing(now);
    if (session.closed) return;
    if (this.#pingAt <= now) this.#ping(now);
    if (this.#tickAt <= now) this.#tick(now);
    if (!session.closed && this.#expiryAt() <= now) this.#expire(now);
  }

  #onPongMissing(now: number): void {
    if (this.#session.readingPaused) this.#pongDueAt = now + this.#session.pongMs;
    else this.#session.close(disconnect.noPong());
  }

  #ping(now: number): void {
    this.#pingAt = now + this.#session.limits.pingMs;
    this.#pongDueAt = now + this.#session.pongMs;
    this.#session.ping();
  }

  #tick(now: number): void {
    const session = this.#session;
    this.#tickAt = now + session.limits.presenceMs;
    session.subscriptions.dropAbandonedWaits();
    for (const subscription of [...session.subscriptions]) {
      if (!subscription.live) continue;
      subscription.presenceEntry?.refresh(session.clientInfo(subscription));
      if (subscription.positioned && subscription.hubChannel !== null) {
        session.context.positions.checkIfQuiet(subscription.hubChannel);
      }
    }
  }

  #connectionExpiresAt(): number {
    const { lifetime, phase } = this.#session;
    return lifetime === null || phase !== 'connected' || this.#askingPolicy ? NEVER : lifetime.dueAt;
  }

  #expiryAt(): number {
    let earliest = this.#connectionExpiresAt();
    for (const { live, lifetime } of this.#session.subscriptions) {
      if (live && lifetime !== null && lifetime.dueAt < earliest) earliest = lifetime.dueAt;
    }
    return earliest;
  }

  #expire(now: number): void {
    const session = this.#session;
    const { clock, inBackground } = session.context;
    if (this.#connectionExpiresAt() <= now && session.lifetime?.isOver(clock) === true) {
      if (session.lifetime.clientRefresh) {
        session.close(disconnect.connectionExpired());
        return;
      }
      inBackground(this.#askAboutConnection());
    }
    for (const subscription of [...session.subscriptions]) {
      const { live, lifetime } = subscription;
      if (!live || lifetime === null || lifetime.dueAt > now || !lifetime.isOver(clock)) continue;
      inBackground(subscription.expire());
      if (session.closed) return;
    }
  }

  /** Server-managed expiry: the policy prolongs the connection, or it ends (client protocol 6.4). */
  async #askAboutConnection(): Promise<void> {
    const session = this.#session;
    const { policy, clock, reportError } = session.context;
    this.#askingPolicy = true;
    try {
      const decision = await policy.refresh?.(session, { token: '' });
      const stillExpired = decision?.expiry !== undefined && decision.expiry.at <= clock.now();
      if (decision === undefined || stillExpired) session.close(disconnect.connectionExpired());
      else session.refreshed(decision);
    } catch (error) {
      if (!(error instanceof Disconnect)) reportError(error);
      session.close(error instanceof Disconnect ? error : disconnect.connectionExpired());
    } finally {
      this.#askingPolicy = false;
      session.rearm();
    }
  }
}
