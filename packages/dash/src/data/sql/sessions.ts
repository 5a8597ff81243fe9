import type { Clock, TimerHandle } from '@msg/foundation/clock';
import type { SqlSession } from './session.ts';

/** How long an idle connection stays open. */
const IDLE_MS = 30_000;

interface Idle {
  readonly session: SqlSession;
  readonly timer: TimerHandle;
}

/** Connections to databases that wait for their next question. */
export class SqlSessions {
  readonly #idle = new Map<string, Idle[]>();
  readonly #clock: Clock;
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A session of `key` that waits, or a new one. */
  take(key: string, open: () => SqlSession): SqlSession {
    const idle = this.#idle.get(key) ?? [];
    for (let waiting = idle.pop(); waiting !== undefined; waiting = idle.pop()) {
      this.#clock.clearTimeout(waiting.timer);
      if (!waiting.session.hasEnded) return waiting.session;
    }
    return open();
  }

  giveBack(key: string, session: SqlSession): void {
    if (session.hasEnded) return;
    if (this.#isClosed) {
      void session.end();
      return;
    }
    const idle = this.#idle.get(key) ?? [];
    this.#idle.set(key, idle);
    const timer = this.#clock.setTimeout(() => this.#forget(key, session), IDLE_MS);
    idle.push({ session, timer });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const all = [...this.#idle.values()].flat();
    this.#idle.clear();
    for (const { timer } of all) this.#clock.clearTimeout(timer);
    await Promise.all(all.map(({ session }) => session.end()));
  }

  #forget(key: string, session: SqlSession): void {
    const rest = (this.#idle.get(key) ?? []).filter(idle => idle.session !== session);
    if (rest.length === 0) this.#idle.delete(key);
    else this.#idle.set(key, rest);
    void session.end();
  }
}
