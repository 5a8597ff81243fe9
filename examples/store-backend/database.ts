import { chmodSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Clock } from '@msg/server';

const TABLES = `
  CREATE TABLE IF NOT EXISTS channels (
    name TEXT PRIMARY KEY, visibility TEXT, state TEXT, ttl REAL, created INTEGER, last_active INTEGER, active_at REAL
  );
  CREATE TABLE IF NOT EXISTS rate_windows (key TEXT PRIMARY KEY, ms REAL);
  CREATE TABLE IF NOT EXISTS rate_events (key TEXT, at REAL);
  CREATE INDEX IF NOT EXISTS rate_events_by_key ON rate_events (key, at);
  CREATE TABLE IF NOT EXISTS expiring (
    kind TEXT, id TEXT, value INTEGER, until INTEGER, PRIMARY KEY (kind, id)
  );
  CREATE TABLE IF NOT EXISTS dead_letters (seq INTEGER PRIMARY KEY, id TEXT UNIQUE, sink TEXT, parked INTEGER, letter TEXT);
  CREATE INDEX IF NOT EXISTS dead_letters_by_sink ON dead_letters (sink, seq);
  CREATE TABLE IF NOT EXISTS schemas (pattern TEXT PRIMARY KEY, history TEXT);
  CREATE TABLE IF NOT EXISTS documents (name TEXT PRIMARY KEY, text TEXT, version INTEGER);
`;

/** A row; columns that are NULL have no value. */
export type Row = Readonly<Record<string, string | number | null>>;

/** One SQLite file, written through to the disk, and the time that passes while it is open. */
export class Database {
  readonly path: string;
  readonly clock: Clock;
  readonly #sqlite: DatabaseSync;
  /** Service time when the file was opened, less the monotonic time of that moment. */
  readonly #offset: number;

  constructor(path: string, clock: Clock) {
    this.path = path;
    this.clock = clock;
    this.#sqlite = new DatabaseSync(path);
    chmodSync(path, 0o600); // the signing keys are in it
    this.#sqlite.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ${TABLES}`);
    const latest =
      'SELECT max(at) AS at FROM (SELECT active_at AS at FROM channels UNION ALL SELECT at FROM rate_events)';
    this.#offset = Number(this.get(latest)?.['at'] ?? 0) - clock.monotonic();
  }

  /** Milliseconds that neither jump with the wall clock nor go on while the service is down. */
  get elapsed(): number {
    return this.#offset + this.clock.monotonic();
  }

  get(sql: string, ...values: (string | number)[]): Row | undefined {
    return this.#sqlite.prepare(sql).get(...values) as Row | undefined; // the tables hold texts and numbers
  }

  all(sql: string, ...values: (string | number)[]): Row[] {
    return this.#sqlite.prepare(sql).all(...values) as Row[]; // as in `get`
  }

  /** @returns the number of rows that changed. */
  run(sql: string, ...values: (string | number)[]): number {
    return Number(this.#sqlite.prepare(sql).run(...values).changes);
  }

  /** Carries out all of it or nothing, apart from other processes. */
  transaction<T>(work: () => T): T {
    this.#sqlite.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#sqlite.exec('COMMIT');
      return result;
    } catch (error) {
      this.#sqlite.exec('ROLLBACK');
      throw error;
    }
  }

  close(): void {
    this.#sqlite.close();
  }
}
