import type { StoreBackend } from '@msg/server';
import { Database } from './database.ts';
import { SqliteDeadLetterQueue } from './dead-letters.ts';
import { SqliteKeyringStore, SqliteSchemaStore } from './documents.ts';
import { SqliteRateLimiter } from './limiter.ts';
import { SqliteChannelRegistry } from './registry.ts';
import { SqliteRedemptionStore, SqliteRevocationStore } from './tokens.ts';

/** Everything that a service has to remember, in one SQLite file of one process. */
export function sqliteStores(path: string): StoreBackend {
  return {
    async open({ clock, random }) {
      const database = new Database(path, clock);
      return {
        registry: new SqliteChannelRegistry(database),
        limiter: new SqliteRateLimiter(database),
        redemptions: new SqliteRedemptionStore(database),
        revocations: new SqliteRevocationStore(database),
        deadLetters: new SqliteDeadLetterQueue(database, random),
        schemas: new SqliteSchemaStore(database),
        keyring: new SqliteKeyringStore(database),
        close: () => database.close(),
      };
    },
  };
}
