import type { RateDecision, RateLimit, RateLimiter } from '@msg/server';
import type { Database } from './database.ts';

/** Accepted events in the table `rate_events`, as long as the longest window of their subject. */
export class SqliteRateLimiter implements RateLimiter {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async take(
    bucket: string,
    subject: string,
    limits: readonly RateLimit[],
    count: number,
  ): Promise<RateDecision> {
    const database = this.#database;
    const key = JSON.stringify([bucket, subject]);
    return database.transaction(() => {
      const now = database.elapsed;
      const window = Math.max(...limits.map(({ perMs }) => perMs));
      const widen =
        'INSERT INTO rate_windows VALUES (?, ?) ON CONFLICT DO UPDATE SET ms = max(ms, excluded.ms) RETURNING ms';
      const kept = Number(database.get(widen, key, window)?.['ms']);
      database.run('DELETE FROM rate_events WHERE key = ? AND at <= ?', key, now - kept);
      for (let accepted = 0; accepted < count; accepted++) {
        const retryAfterMs = this.#wait(key, limits, now);
        if (retryAfterMs > 0) return { accepted, retryAfterMs };
        database.run('INSERT INTO rate_events VALUES (?, ?)', key, now);
      }
      return { accepted: count, retryAfterMs: 0 };
    });
  }

  /** Milliseconds until every limit allows one more event. */
  #wait(key: string, limits: readonly RateLimit[], now: number): number {
    // The event that must have left the window before one more fits.
    const nth = 'SELECT at FROM rate_events WHERE key = ? AND at > ? ORDER BY at DESC LIMIT 1 OFFSET ?';
    const waits = limits.map(({ rate, burst = 0, perMs }) => {
      const blocking = this.#database.get(nth, key, now - perMs, Math.max(rate, burst) - 1);
      return blocking === undefined ? 0 : Number(blocking['at']) + perMs - now;
    });
    return Math.max(...waits);
  }
}
