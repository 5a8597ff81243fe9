import { PostgresServer } from '@msg/testkit/postgres';

/** A PostgreSQL for the commands of the outbox; each asker takes a schema of its own. */
export class OutboxDatabase {
  readonly server: PostgresServer;
  #schemas = 0;

  private constructor(server: PostgresServer) {
    this.server = server;
  }

  static async start(): Promise<OutboxDatabase> {
    return new OutboxDatabase(await PostgresServer.start());
  }

  /** The variable with the address, whose password no output may have. */
  env(user = 'admin', password = this.server.password): { readonly MSG_OUTBOX_POSTGRES_URL: string } {
    const { port } = this.server;
    return { MSG_OUTBOX_POSTGRES_URL: `postgres://${user}:${password}@127.0.0.1:${port}/shop` };
  }

  /** A name that no schema has yet. */
  schema(): string {
    return `outbox_${++this.#schemas}`;
  }

  /** Statements as the superuser; rows with `|` between cells. */
  sql(text: string): string {
    return this.server.sql(text);
  }

  /** Commits publications of texts into a channel. */
  publish(schema: string, channel: string, ...texts: readonly string[]): void {
    const calls = texts.map(text => `SELECT ${schema}.publish('${channel}', '${text}'::text)`);
    this.sql(`BEGIN; ${calls.join('; ')}; COMMIT`);
  }

  /** Makes dead rows; answers their ids. */
  bury(schema: string, channel: string, code: string, count: number): readonly string[] {
    this.publish(schema, channel, ...Array.from({ length: count }, (_, n) => `dead ${n}`));
    const ids = this.sql(`SELECT id FROM ${schema}.outbox WHERE channel = '${channel}' ORDER BY id`).split(
      '\n',
    );
    for (const id of ids) this.sql(`SELECT ${schema}.outbox_bury(${id}, '${code}', '${code}: refused')`);
    return ids;
  }

  stop(): Promise<void> {
    return this.server.stop();
  }
}
