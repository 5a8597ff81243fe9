import type { RateLimit, RateLimiter, RateVerdict } from '@msg/server';
import type { Database } from './database.ts';

/** Accepted events in the table `rate_events`, as long as the longest window of their subject. */
export class SqliteRateLimiter implements RateLimiter {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async take(bucket: string, subject: string, limits: readonly RateLimit[]): Promise<RateVerdict> {
    const database = this.#database;
    const key = JSON.stringify([bucket, subject]);
    return database.transaction(() => {
      const now = database.elapsed;
      const window = Math.max(...limits.map(({ perMs }) => perMs));
      const widen =
        'INSERT INTO rate_windows VALUES (?, ?) ON CONFLICT DO UPDATE SET ms = max(ms, excluded.ms) RETURNING ms';
      const kept = Number(database.get(widen, key, window)?.['ms']);
      database.run('DELETE FROM rate_events WHERE key = ? AND at <= ?', key, now - kept);
      let retryAfterMs = 0;
      for (const { rate, burst = 0, perMs } of limits) {
        // The event that must have left the window before one more fits.
        const nth = 'SELECT at FROM rate_events WHERE key = ? AND at > ? ORDER BY at DESC LIMIT 1 OFFSET ?';
        const blocking = database.get(nth, key, now - perMs, Math.max(rate, burst) - 1);
        if (blocking !== undefined)
          retryAfterMs = Math.max(retryAfterMs, Number(blocking['at']) + perMs - now);
      }
      if (retryAfterMs > 0) return { allowed: false, retryAfterMs };
      database.run('INSERT INTO rate_events VALUES (?, ?)', key, now);
      return { allowed: true, retryAfterMs: 0 };
    });
  }
}
