import type {
  ChannelRecord,
  ChannelRegistry,
  ChannelState,
  CloseResult,
  DeleteResult,
  OpenResult,
} from '@msg/server';
import type { Database, Row } from './database.ts';

/** SQLite has no infinity. */
const NEVER = -1;

function recordOf(row: Row): ChannelRecord {
  const ttl = Number(row['ttl']);
  return {
    name: String(row['name']),
    visibility: row['visibility'] === 'private' ? 'private' : 'public',
    state: row['state'] as ChannelState, // only `put` writes it
    ttlMs: ttl === NEVER ? Number.POSITIVE_INFINITY : ttl,
    createdAt: Number(row['created']),
    lastActive: Number(row['last_active']),
  };
}

/** Channels in the table `channels`: they survive a restart, tombstones included. */
export class SqliteChannelRegistry implements ChannelRegistry {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async openPublic(name: string, ttlMs: number): Promise<OpenResult> {
    return this.#database.transaction(() => {
      const known = this.peek(name);
      if (known?.state === 'deleted') return { record: known, change: 'refused' };
      const now = this.#database.clock.now();
      const record = this.#put({
        name,
        visibility: 'public',
        state: 'open',
        ttlMs,
        createdAt: known?.createdAt ?? now,
        lastActive: now,
      });
      if (known === undefined) return { record, change: 'created' };
      return { record, change: known.state === 'open' ? 'refreshed' : 'reopened' };
    });
  }

  async createPrivate(name: string, ttlMs: number): Promise<ChannelRecord | undefined> {
    return this.#database.transaction(() => {
      if (this.peek(name) !== undefined) return undefined;
      const now = this.#database.clock.now();
      return this.#put({
        name,
        visibility: 'private',
        state: 'open',
        ttlMs,
        createdAt: now,
        lastActive: now,
      });
    });
  }

  get(name: string): ChannelRecord | undefined {
    return this.peek(name);
  }

  async getAll(names: readonly string[]): Promise<readonly (ChannelRecord | undefined)[]> {
    return names.map(name => this.peek(name));
  }

  peek(name: string): ChannelRecord | undefined {
    const row = this.#database.get('SELECT * FROM channels WHERE name = ?', name);
    return row === undefined ? undefined : recordOf(row);
  }

  async list(): Promise<readonly ChannelRecord[]> {
    return this.#database.all("SELECT * FROM channels WHERE state <> 'deleted'").map(recordOf);
  }

  touch(name: string, ttlMs?: number): ChannelRecord | undefined {
    const { clock, elapsed } = this.#database;
    const touched =
      "UPDATE channels SET last_active = ?, active_at = ?, ttl = coalesce(nullif(?, ''), ttl) WHERE name = ? AND state = 'open'";
    this.#database.run(touched, clock.now(), elapsed, ttlMs === undefined ? '' : storedTtl(ttlMs), name);
    return this.peek(name);
  }

  async close(name: string): Promise<CloseResult | undefined> {
    const closed = "UPDATE channels SET state = 'closed' WHERE name = ? AND state = 'open'";
    const changed = this.#database.run(closed, name) > 0;
    const record = this.peek(name);
    return record === undefined ? undefined : { record, changed };
  }

  async delete(name: string): Promise<DeleteResult | undefined> {
    const deleted = "UPDATE channels SET state = 'deleted' WHERE name = ? AND state <> 'deleted'";
    const changed = this.#database.run(deleted, name) > 0;
    const record = this.peek(name);
    return record === undefined ? undefined : { record, changed };
  }

  /** There is no other node. */
  async announce(): Promise<void> {}

  async forget(name: string): Promise<void> {
    this.#database.run('DELETE FROM channels WHERE name = ?', name);
  }

  async sweep(): Promise<readonly ChannelRecord[]> {
    return this.#database.transaction(() => {
      const idle = "SELECT * FROM channels WHERE state = 'open' AND ttl >= 0 AND ? - active_at >= ttl";
      return this.#database.all(idle, this.#database.elapsed).map(row => {
        const record = recordOf(row);
        if (record.visibility === 'public') {
          this.#database.run("UPDATE channels SET state = 'closed' WHERE name = ?", record.name);
          return { ...record, state: 'closed' };
        }
        this.#database.run('DELETE FROM channels WHERE name = ?', record.name);
        return { ...record, state: 'deleted' };
      });
    });
  }

  #put(record: ChannelRecord): ChannelRecord {
    const { name, visibility, state, ttlMs, createdAt, lastActive } = record;
    this.#database.run(
      'INSERT OR REPLACE INTO channels VALUES (?, ?, ?, ?, ?, ?, ?)',
      name,
      visibility,
      state,
      storedTtl(ttlMs),
      createdAt,
      lastActive,
      this.#database.elapsed,
    );
    return record;
  }
}

function storedTtl(ttlMs: number): number {
  return Number.isFinite(ttlMs) ? ttlMs : NEVER;
}
