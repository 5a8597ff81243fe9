import { Disconnect } from '../errors.ts';
import type { Session } from './session.ts';

const NEVER = Number.POSITIVE_INFINITY;

/**
 * What a connection has to do when time passes, all on its one timer: pings and their pongs, presence and
 * position ticks, expiry, and giving up on a client that never connects (client protocol 5, 6.1, 6.4). Moments
 * are Unix milliseconds.
 */
export class Duties {
  readonly #session: Session;
  #staleAt: number;
  #refusedAt = NEVER;
  #pingAt = NEVER;
  #pongDueAt = NEVER;
  #tickAt = NEVER;
  /** The policy is being asked about expired credentials. */
  #askingPolicy = false;

  constructor(session: Session) {
    this.#session = session;
    this.#staleAt = session.context.clock.now() + session.limits.staleMs;
  }

  /** The earliest moment at which something is due. */
  nextAt(): number {
    return Math.min(
      this.#staleAt,
      this.#refusedAt,
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
  begin(): void {
    const { clock, random, limits } = this.#session.context;
    const now = clock.now();
    const fraction = random.fraction();
    this.#staleAt = NEVER;
    if (limits.pingMs > 0) this.#pingAt = now + (limits.pingMs / 2) * (1 + fraction);
    this.#tickAt = now + (limits.presenceMs / 2) * (1 + fraction);
  }

  /** The connect was answered with an error. */
  refused(): void {
    // Stream transports stay open until the client leaves or the stale moment comes (client protocol 4.7).
    if (this.#session.announcesDisconnect) return;
    this.#staleAt = NEVER;
    this.#refusedAt = this.#session.context.clock.now() + this.#session.limits.refusedMs;
  }

  /** A pong arrived. False when none was due. */
  ponged(): boolean {
    const due = this.#pongDueAt !== NEVER;
    this.#pongDueAt = NEVER;
    return due;
  }

  /** Does everything that is due. */
  perform(): void {
    const session = this.#session;
    const now = session.context.clock.now();
    if (this.#staleAt <= now) session.close(new Disconnect(3502, 'stale'));
    else if (this.#refusedAt <= now) session.close(new Disconnect(1000, 'connect refused'));
    else if (this.#pongDueAt <= now) this.#missPong(now);
    if (session.closed) return;
    if (this.#pingAt <= now) this.#ping(now);
    if (this.#tickAt <= now) this.#tick(now);
    if (!session.closed && this.#expiryAt() <= now) this.#expire(now);
  }

  #missPong(now: number): void {
    if (this.#session.readingPaused) this.#pongDueAt = now + this.#session.pongMs;
    else this.#session.close(new Disconnect(3012, 'no pong'));
  }

  #ping(now: number): void {
    this.#pingAt = now + this.#session.limits.pingMs;
    this.#pongDueAt = now + this.#session.pongMs;
    this.#session.ping();
  }

  #tick(now: number): void {
    const session = this.#session;
    this.#tickAt = now + session.limits.presenceMs;
    for (const subscription of [...session.subscriptions]) {
      if (!subscription.live) continue;
      subscription.announcement?.refresh(session.clientInfo(subscription));
      if (subscription.positioned && subscription.hubChannel !== null) {
        session.context.positions.checkIfQuiet(subscription.hubChannel);
      }
    }
  }

  #connectionExpiresAt(): number {
    const { expiry, limits, phase } = this.#session;
    if (expiry === null || phase !== 'connected' || this.#askingPolicy) return NEVER;
    return expiry.at + (expiry.clientRefresh ? limits.expiryGraceMs : 0);
  }

  #expiryAt(): number {
    let earliest = this.#connectionExpiresAt();
    for (const subscription of this.#session.subscriptions) {
      if (subscription.live && subscription.expiresAt < earliest) earliest = subscription.expiresAt;
    }
    return earliest;
  }

  #expire(now: number): void {
    const session = this.#session;
    if (this.#connectionExpiresAt() <= now) {
      if (session.expiry?.clientRefresh === true) {
        session.close(new Disconnect(3005, 'connection expired'));
        return;
      }
      session.context.inBackground(this.#askAboutConnection());
    }
    for (const subscription of [...session.subscriptions]) {
      if (subscription.live && subscription.expiresAt <= now) {
        session.context.inBackground(subscription.expire());
        if (session.closed) return;
      }
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
      if (decision === undefined || stillExpired) session.close(new Disconnect(3005, 'connection expired'));
      else session.refreshed(decision);
    } catch (error) {
      if (!(error instanceof Disconnect)) reportError(error);
      session.close(error instanceof Disconnect ? error : new Disconnect(3005, 'connection expired'));
    } finally {
      this.#askingPolicy = false;
      session.rearm();
    }
  }
}
