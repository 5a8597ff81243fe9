import type { TimerHandle } from '@msg/foundation/clock';
import { RECONNECT, SHUTDOWN } from '../session/endings.ts';
import type { Session } from '../session/session.ts';
import type { NodeParts } from './parts.ts';

/** Disconnects the connections of a node that stops, or that has too many. */
export class Departure {
  readonly #parts: Pick<NodeParts, 'background' | 'clock' | 'context' | 'limits' | 'sessions'>;

  constructor(parts: Pick<NodeParts, 'background' | 'clock' | 'context' | 'limits' | 'sessions'>) {
    this.#parts = parts;
  }

  /**
   * Disconnects the connections with 3001 one after the other: evenly over the window, each at a random moment of its
   * share, so that the clients do not all reconnect at once.
   */
  async spread(windowMs: number): Promise<void> {
    await this.#close([...this.#parts.sessions], { windowMs, ending: SHUTDOWN, goesOn: () => true });
  }

  /**
   * Disconnects so many connected clients with 3011, spread as {@link spread} does, while `goesOn`. Those that are connected
   * longest go first: a client that has just been moved stays. Resolves to how many went.
   */
  async shed(count: number, windowMs: number, goesOn: () => boolean): Promise<number> {
    const chosen: Session[] = [];
    for (const session of this.#parts.sessions) {
      if (chosen.length >= count) break;
      if (session.connection.phase === 'connected') chosen.push(session);
    }
    return this.#close(chosen, { windowMs, ending: RECONNECT, goesOn });
  }

  async #close(
    sessions: readonly Session[],
    { windowMs, ending, goesOn }: { windowMs: number; ending: typeof SHUTDOWN; goesOn: () => boolean },
  ): Promise<number> {
    const { clock, context } = this.#parts;
    const share = windowMs / Math.max(1, sessions.length);
    const start = clock.monotonic();
    let closed = 0;
    for (const [index, session] of sessions.entries()) {
      await this.#pauseUntil(start + (index + context.random.fraction()) * share);
      if (!goesOn()) return closed;
      session.close(ending);
      closed++;
    }
    await this.#pauseUntil(start + windowMs);
    return closed;
  }

  /** Disconnects all connections with 3001, waits at most `graceMs` for them to close, and drops the rest. */
  async drain(graceMs: number): Promise<void> {
    const { background, clock, limits, sessions } = this.#parts;
    let closed = 0;
    for (const session of [...sessions]) {
      session.close(SHUTDOWN);
      if (++closed % limits.shutdownConcurrency === 0) {
        await new Promise<void>(resolve => clock.afterTurn(resolve));
      }
    }
    let timeout: TimerHandle | undefined;
    const grace = new Promise<void>(resolve => {
      timeout = clock.setTimeout(resolve, graceMs);
    });
    const left = sessions.empty().then(() => background.settled());
    await Promise.race([left, grace]);
    if (timeout !== undefined) clock.clearTimeout(timeout);
    for (const session of [...sessions]) session.drop();
  }

  async #pauseUntil(time: number): Promise<void> {
    const { clock } = this.#parts;
    const wait = time - clock.monotonic();
    // Shares below a millisecond: connections that are due together close together.
    if (wait >= 1) await new Promise<void>(resolve => clock.setTimeout(resolve, wait));
  }
}
