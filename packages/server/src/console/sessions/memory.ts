import type { Clock } from '@msg/foundation/clock';
import {
  type ConsoleSessionStore,
  countedByKey,
  MAX_LOGINS,
  type SessionState,
  type StoredSession,
} from './contract.ts';

interface Entry {
  readonly session: StoredSession;
  /** Unix milliseconds. */
  readonly keptUntil: number;
}

/** Sessions that end with the process. */
export class MemoryConsoleSessions implements ConsoleSessionStore {
  readonly volatile = true;
  readonly #clock: Pick<Clock, 'now'>;
  /** In the order of their begin. */
  readonly #entries = new Map<string, Entry>();
  readonly #logins = new Map<string, { readonly login: string; readonly keptUntil: number }>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  create(id: string, session: StoredSession, keepMs: number): void {
    this.#forgetOld();
    this.#entries.set(id, { session, keptUntil: this.#clock.now() + keepMs });
  }

  get(id: string): StoredSession | undefined {
    const entry = this.#entries.get(id);
    return entry !== undefined && entry.keptUntil > this.#clock.now() ? entry.session : undefined;
  }

  change(id: string, change: Partial<SessionState>, keepMs: number): void {
    const session = this.get(id);
    if (session === undefined) return;
    this.#entries.set(id, { session: { ...session, ...change }, keptUntil: this.#clock.now() + keepMs });
  }

  count(now: number): number {
    return this.#live(now).length;
  }

  countByKey(now: number, usedSince: number): ReadonlyMap<string, number> {
    return countedByKey(
      this.#live(now).map(([, { session }]) => session),
      usedSince,
    );
  }

  ofSubject(subject: string, now: number): string[] {
    const sessions = this.#live(now).filter(([, { session }]) => session.subject === subject);
    return sessions.sort(([, a], [, b]) => a.session.createdAt - b.session.createdAt).map(([id]) => id);
  }

  keepLogin(id: string, login: string, keepMs: number): void {
    const [oldest] = this.#logins.keys();
    if (this.#logins.size >= MAX_LOGINS && oldest !== undefined) this.#logins.delete(oldest);
    this.#logins.set(id, { login, keptUntil: this.#clock.now() + keepMs });
  }

  takeLogin(id: string): string | undefined {
    const entry = this.#logins.get(id);
    this.#logins.delete(id);
    return entry !== undefined && entry.keptUntil > this.#clock.now() ? entry.login : undefined;
  }

  #live(now: number): [string, Entry][] {
    return [...this.#entries].filter(
      ([, { session, keptUntil }]) =>
        session.ended === undefined && session.endsAt > now && keptUntil > this.#clock.now(),
    );
  }

  #forgetOld(): void {
    const now = this.#clock.now();
    for (const [id, { keptUntil }] of this.#entries) if (keptUntil <= now) this.#entries.delete(id);
  }
}
