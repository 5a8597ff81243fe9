import { PostgresServer, type PostgresServerOptions } from '@msg/testkit/postgres';
import type { ItemData } from '#src/data/contract.ts';
import type { DataSources } from '#src/data/sources.ts';
import type { JsonObject } from '#src/document/json.ts';
import { askOne, sourcesOf } from './asked.ts';

/** A busy machine takes its time. */
const PATIENT = { timeout: 30, statementTimeout: 30 };

/** A real PostgreSQL with a table of orders and the role `reader`, and sources that may ask it. */
export class Shop {
  readonly server: PostgresServer;
  readonly sources: DataSources;
  readonly environment: Readonly<Record<string, string>>;

  private constructor(server: PostgresServer) {
    this.server = server;
    this.environment = { SHOP_PASSWORD: server.password };
    this.sources = sourcesOf({ allow: [this.allow], environment: this.environment });
  }

  static async open(options: PostgresServerOptions = {}): Promise<Shop> {
    const server = await PostgresServer.start(options);
    server.sql(`
      ALTER DATABASE shop SET timezone = 'Asia/Tokyo';
      CREATE TABLE orders (id int PRIMARY KEY, region text, amount numeric(10,2), placed timestamptz);
      INSERT INTO orders SELECT n, 'r' || n % 3, n * 1.25, timestamptz '2026-01-02 03:00Z' + n * interval '1 minute'
        FROM generate_series(1, 1000) n;
    `);
    server.addRole('reader', ['GRANT SELECT ON orders TO reader']);
    return new Shop(server);
  }

  /** What must be allowed. */
  get allow(): string {
    return `${this.server.origin}=SHOP_PASSWORD`;
  }

  connection(config: JsonObject = {}) {
    const url = this.server.url('reader');
    const password = { $secret: 'SHOP_PASSWORD' };
    return { type: 'sql', config: { ...PATIENT, url, password, ssl: 'disable', ...config } };
  }

  ask(query: JsonObject, config: JsonObject = {}): Promise<ItemData> {
    return askOne(this.sources, this.connection(config), query, { environment: this.environment });
  }

  /** Everything that a statement could have changed, as one text. */
  checksum(): string {
    return this.server.sql(`
      SELECT md5(string_agg(o::text, ',' ORDER BY id)) FROM orders o;
      SELECT md5(string_agg(relname, ',' ORDER BY oid)) FROM pg_class WHERE oid >= 16384;
      SELECT md5(string_agg(rolname || rolsuper, ',' ORDER BY oid)) FROM pg_authid;
      SELECT md5(coalesce(string_agg(setconfig::text, ',' ORDER BY setdatabase, setrole), '')) FROM pg_db_role_setting;
      SELECT md5(coalesce(string_agg(proname, ',' ORDER BY oid), '')) FROM pg_proc WHERE oid >= 16384;
    `);
  }

  /** Statements of dash that run now. */
  running(): number {
    const text = `SELECT count(*) FROM pg_stat_activity WHERE usename = 'reader' AND state <> 'idle'`;
    return Number(this.server.sql(text));
  }

  async close(): Promise<void> {
    await this.sources.close();
    await this.server.stop();
  }
}
