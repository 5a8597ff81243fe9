import type { TimerHandle } from '@msg/foundation/clock';
import { SHUTDOWN } from '../session/endings.ts';
import type { NodeParts } from './parts.ts';

/** Disconnects the connections of a node that stops. */
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
    const { clock, context, sessions } = this.#parts;
    const leaving = [...sessions];
    const share = windowMs / Math.max(1, leaving.length);
    const start = clock.monotonic();
    for (const [index, session] of leaving.entries()) {
      await this.#pauseUntil(start + (index + context.random.fraction()) * share);
      session.close(SHUTDOWN);
    }
    await this.#pauseUntil(start + windowMs);
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
