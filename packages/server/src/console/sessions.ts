import { hash } from 'node:crypto';
import { MsgError, type Role } from '@msg/core';
import { coversRole } from '@msg/core/internal';
import type { Clock, Random } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import { VerifiedToken } from '../auth/tokens/claims.ts';
import type { RevocationCheck } from '../auth/tokens/revocation/contract.ts';
import type { ConsoleSessionStore, SessionEnd, StoredSession } from './sessions/contract.ts';

const TEXT_BYTES = 32;
/** The text of a session in a cookie: 256 bits. */
const TEXT = /^[\w-]{43}$/;
const PER_SUBJECT = 20;
const IN_ALL = 1000;
/** How long the reason of an end is known, milliseconds. */
const ENDED_KEPT_MS = 600_000;
/** How long a session is unlocked, milliseconds. */
const UNLOCKED_MS = 15 * 60_000;
/** A call within this part of the idle time is not written down. */
const WRITTEN_PART = 1 / 20;

const END_TEXTS: Readonly<Record<SessionEnd, string>> = {
  session: 'there is no session: sign in',
  idle: 'the session ended because it was not used: sign in again',
  expired: 'the session has ended: sign in again',
  key: 'the session ended because the key of its token was retired: sign in with a new token',
  revoked: 'the session ended because its token or its user was revoked',
  'signed-out': 'the session was signed out',
};

/** The error of a call without a live session: 401. */
export function sessionEnded(reason: SessionEnd): MsgError {
  return new MsgError('MSG_AUTH_EXPIRED', END_TEXTS[reason], { reason });
}

/** A live session. */
export interface Session extends StoredSession {
  /** Its name in the store. */
  readonly id: string;
  /** The management bearer that it stands for. */
  readonly token: VerifiedToken;
}

export interface SessionsOptions {
  readonly store: ConsoleSessionStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly ttlMs: number;
  readonly idleMs: number;
  readonly maxRole: Role;
  /** Sessions of one subject, of which the oldest ends for a further one; default 20. */
  readonly perSubject?: number;
  /** Whether the key that signed a token is not retired. */
  readonly isKeyLive: (token: VerifiedToken) => boolean;
  readonly isRevoked: RevocationCheck;
  /** Told when this node ends a session, or finds that it has ended. */
  readonly onEnded?: (id: string) => void;
}

/** The name of a secret text in the store. */
export function idOf(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** Begins, checks and ends the sessions of the console. Source: console, section 4.3. */
export class Sessions {
  readonly #options: SessionsOptions;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /**
   * Begins a session for a management bearer; the text is for its cookie alone.
   * @throws MsgError MSG_AUTH_DENIED for a bearer without a role, MSG_BROKER_NOT_READY for too many sessions
   */
  async begin(
    token: VerifiedToken,
    isUnlocked: boolean,
  ): Promise<{ readonly text: string; readonly session: Session }> {
    const { store, clock, random, ttlMs, maxRole, perSubject = PER_SUBJECT } = this.#options;
    const { claims, subject, kid, fingerprint, role } = token;
    if (role === 'none') {
      throw new MsgError('MSG_AUTH_DENIED', 'the bearer has no role, so it may do nothing here', {
        reason: 'role',
      });
    }
    const now = clock.now();
    if ((await store.count(now)) >= IN_ALL)
      throw new MsgError(
        'MSG_BROKER_NOT_READY',
        `the console has ${IN_ALL} sessions, which is its limit: try again later`,
      );
    const others = await store.ofSubject(subject, now);
    for (const id of others.slice(0, Math.max(0, others.length - perSubject + 1)))
      await this.#end(id, 'signed-out');
    const endsAt = Math.min(now + ttlMs, fingerprint === '' ? Infinity : token.expiresAt);
    const text = Buffer.from(random.bytes(TEXT_BYTES)).toString('base64url');
    const stored: StoredSession = {
      subject,
      role: coversRole(role, maxRole) ? maxRole : role,
      kid,
      fingerprint,
      iat: claims.iat,
      ...defined({ jti: claims.jti, scopes: claims.scopes }),
      createdAt: now,
      endsAt,
      usedAt: now,
      writesUntil: isUnlocked ? endsAt : 0,
    };
    await store.create(idOf(text), stored, this.#keepMs);
    return { text, session: sessionOf(idOf(text), stored) };
  }

  /**
   * The live session of a text.
   * @throws MsgError MSG_AUTH_EXPIRED with the reason of its end; MSG_BROKER_NOT_READY when the store does not answer
   */
  async find(text: string | undefined): Promise<Session> {
    const { store, clock, idleMs } = this.#options;
    if (text === undefined || !TEXT.test(text)) throw sessionEnded('session');
    const id = idOf(text);
    const stored = await answered(store.get(id));
    if (stored === undefined) throw sessionEnded('session');
    const session = sessionOf(id, stored);
    const end = await this.#endOf(session);
    if (end !== undefined) {
      if (stored.ended === undefined) await this.#end(id, end);
      throw sessionEnded(end);
    }
    const now = clock.now();
    if (now - stored.usedAt > idleMs * WRITTEN_PART)
      await answered(store.change(id, { usedAt: now }, this.#keepMs));
    return session;
  }

  async #endOf(session: Session): Promise<SessionEnd | undefined> {
    const { clock, idleMs, isKeyLive, isRevoked } = this.#options;
    const now = clock.now();
    if (session.ended !== undefined) return session.ended;
    if (now > session.endsAt) return 'expired';
    if (now - session.usedAt > idleMs) return 'idle';
    if (session.fingerprint !== '' && !isKeyLive(session.token)) return 'key';
    return (await isRevoked(session.token)) ? 'revoked' : undefined;
  }

  /** Whether a session goes on; asking counts as no call. @throws MsgError MSG_BROKER_NOT_READY as {@link find} */
  async isLive(id: string): Promise<boolean> {
    const stored = await answered(this.#options.store.get(id));
    return stored !== undefined && (await this.#endOf(sessionOf(id, stored))) === undefined;
  }

  isLocked({ writesUntil }: Session): boolean {
    return this.#options.clock.now() >= writesUntil;
  }

  /** Allows methods that change something, for 15 minutes. @returns when that ends, Unix milliseconds */
  async unlock({ id, endsAt }: Session): Promise<number> {
    const writesUntil = Math.min(endsAt, this.#options.clock.now() + UNLOCKED_MS);
    await answered(this.#options.store.change(id, { writesUntil }, this.#keepMs));
    return writesUntil;
  }

  async lock({ id }: Session): Promise<void> {
    await answered(this.#options.store.change(id, { writesUntil: 0 }, this.#keepMs));
  }

  /** Signs a session out. */
  async end({ id }: Session): Promise<void> {
    await this.#end(id, 'signed-out');
  }

  async #end(id: string, ended: SessionEnd): Promise<void> {
    const { store, onEnded } = this.#options;
    await answered(store.change(id, { ended }, ENDED_KEPT_MS));
    onEnded?.(id);
  }

  get #keepMs(): number {
    return this.#options.idleMs + ENDED_KEPT_MS;
  }
}

function sessionOf(id: string, stored: StoredSession): Session {
  const { subject, scopes, jti, iat, endsAt, kid, fingerprint, role } = stored;
  const claims = {
    sub: subject,
    typ: 'mgmt',
    iat,
    exp: Math.floor(endsAt / 1000),
    ...defined({ scopes, jti }),
  } as const;
  return { ...stored, id, token: new VerifiedToken(claims, kid, fingerprint, role) };
}

/** The answer of the store. @throws MsgError MSG_BROKER_NOT_READY when it fails: that ends no session. */
export async function answered<T>(answer: T | Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    throw new MsgError('MSG_BROKER_NOT_READY', 'the store of the sessions does not answer', { cause });
  }
}
