import { PostgresServer, type PostgresServerOptions } from '@msg/testkit/postgres';
import postgres from 'postgres';
import { connectPostgres, migrate, type OutboxConnection } from '../../src/index.ts';

/** A real PostgreSQL with a migrated outbox and the role `app`, which may call its functions and nothing else. */
export class OutboxDatabase {
  readonly server: PostgresServer;
  /** As the owner of the outbox. */
  readonly sql: OutboxConnection;
  /** As the role of an application. */
  readonly app: postgres.Sql;

  private constructor(server: PostgresServer, sql: OutboxConnection) {
    this.server = server;
    this.sql = sql;
    this.app = postgres(this.url('app'), { max: 4, fetch_types: false, onnotice: () => undefined });
  }

  static async start(options: PostgresServerOptions = {}): Promise<OutboxDatabase> {
    const server = await PostgresServer.start(options);
    const sql = await connectPostgres({ url: addressOf(server, 'admin') });
    await migrate(sql);
    server.addRole('app', [
      'GRANT USAGE ON SCHEMA msg TO app',
      'GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA msg TO app',
      'CREATE TABLE orders (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, note text)',
      'GRANT ALL ON orders TO app',
    ]);
    return new OutboxDatabase(server, sql);
  }

  /** Address of the database with the password. */
  url(user: string, port = this.server.port): string {
    return addressOf(this.server, user, port);
  }

  /** Rows that wait, by id: channel and payload. */
  async rows(): Promise<readonly { readonly channel: string; readonly data: string }[]> {
    const rows = await this.sql.unsafe(
      "SELECT channel, convert_from(data, 'UTF8') AS data FROM msg.outbox ORDER BY id",
      [],
    );
    return rows.map(({ channel, data }) => ({ channel: String(channel), data: String(data) }));
  }

  /** Empties the outbox and frees its partitions. */
  async clear(): Promise<void> {
    await this.sql.unsafe(`
      DELETE FROM msg.outbox;
      DELETE FROM msg.outbox_dead;
      UPDATE msg.outbox_state SET max_rows = 0, counted_rows = 0, sleeping_until = NULL;
      UPDATE msg.outbox_partition SET owner = NULL, lease_until = NULL;
    `);
  }

  async stop(): Promise<void> {
    await this.app.end({ timeout: 1 });
    await this.sql.end({ timeout: 1 });
    await this.server.stop();
  }
}

function addressOf(server: PostgresServer, user: string, port = server.port): string {
  return `postgres://${user}:${server.password}@127.0.0.1:${port}/shop`;
}
