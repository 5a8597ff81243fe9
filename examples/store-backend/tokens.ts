import type { RedemptionStore, RevocationEntry, RevocationStore } from '@msg/server';
import type { Database } from './database.ts';

type Kind = 'redeemed' | 'family' | 'token' | 'user';

/** Ids that matter until a time, in the table `expiring`. */
class ExpiringIds {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Keeps the larger value, and the later end. */
  extend(kind: Kind, id: string, value: number, until: number): void {
    this.#prune();
    const write =
      'INSERT INTO expiring VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = max(value, excluded.value), until = max(until, excluded.until)';
    this.#database.run(write, kind, id, value, until);
  }

  /** @returns true for the first call. */
  add(kind: Kind, id: string, until: number): boolean {
    this.#prune();
    return this.#database.run('INSERT OR IGNORE INTO expiring VALUES (?, ?, 0, ?)', kind, id, until) > 0;
  }

  value(kind: Kind, id: string): number | undefined {
    const read = 'SELECT value FROM expiring WHERE kind = ? AND id = ? AND until > ?';
    const row = this.#database.get(read, kind, id, this.#database.clock.now());
    return row === undefined ? undefined : Number(row['value']);
  }

  #prune(): void {
    this.#database.run('DELETE FROM expiring WHERE until <= ?', this.#database.clock.now());
  }
}

/** Redeemed refresh tokens and dead families. */
export class SqliteRedemptionStore implements RedemptionStore {
  readonly #ids: ExpiringIds;

  constructor(database: Database) {
    this.#ids = new ExpiringIds(database);
  }

  async redeem(jti: string, expiresAt: number): Promise<boolean> {
    return this.#ids.add('redeemed', jti, expiresAt);
  }

  async revokeFamily(fid: string, until: number): Promise<void> {
    this.#ids.extend('family', fid, 0, until);
  }

  async isFamilyRevoked(fid: string): Promise<boolean> {
    return this.#ids.value('family', fid) !== undefined;
  }
}

/** Revoked tokens, and the cutoffs of users. */
export class SqliteRevocationStore implements RevocationStore {
  readonly shared = false;
  readonly #ids: ExpiringIds;
  readonly #database: Database;

  constructor(database: Database) {
    this.#ids = new ExpiringIds(database);
    this.#database = database;
  }

  async revokeToken(jti: string, _reason: string, keepMs: number): Promise<void> {
    this.#ids.extend('token', jti, 0, this.#database.clock.now() + keepMs);
  }

  async revokeUser(user: string, cutoff: number, keepMs: number): Promise<void> {
    this.#ids.extend('user', user, cutoff, this.#database.clock.now() + keepMs);
  }

  lookup(jti: string, user: string): RevocationEntry {
    return {
      tokenRevoked: jti !== '' && this.#ids.value('token', jti) !== undefined,
      userCutoff: user === '' ? undefined : this.#ids.value('user', user),
    };
  }
}
