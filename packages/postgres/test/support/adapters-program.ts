// node --conditions=msg-source adapters-program.ts <address of the database>: publishes with each driver and prints what
// came of it as JSON. A program of its own, because `pg` finds its pool under the export conditions of Node.js alone.
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres';
import { drizzle } from 'drizzle-orm/postgres-js';
import pg from 'pg';
import postgres from 'postgres';
import * as drizzleOutbox from '#src/drizzle.ts';
import * as pgOutbox from '#src/pg.ts';
import * as postgresOutbox from '#src/postgres-js.ts';
import { BYTES, EXTRAS, namesOf, type Printed, SINK, VALUE } from './adapters.ts';

const [url = ''] = process.argv.slice(2);
const sql = postgres(url, { max: 2, fetch_types: false, onnotice: () => undefined });
const pool = new pg.Pool({ connectionString: url, max: 2 });

/** What each adapter writes in one transaction. */
interface Publishing {
  publish(name: string, value: object | Uint8Array | string, extras?: typeof EXTRAS): Promise<string>;
  broadcast(names: readonly string[]): Promise<void>;
  publishOrSink(name: string): Promise<string>;
}

/** Runs `work` in a transaction, which is rolled back when it throws. */
type Transaction = (work: (tx: Publishing) => Promise<void>) => Promise<void>;

const ADAPTERS: Readonly<Record<string, Transaction>> = {
  'postgres.js': async work => {
    await sql.begin(tx =>
      work({
        publish: (name, value, extras) => postgresOutbox.publish(tx, name, value, extras),
        broadcast: names => postgresOutbox.broadcast(tx, names, { n: 1 }),
        publishOrSink: name => postgresOutbox.publishOrSink(tx, name, { n: 2 }, SINK),
      }),
    );
  },
  pg: async work => {
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      await work({
        publish: (name, value, extras) => pgOutbox.publish(client, name, value, extras),
        broadcast: names => pgOutbox.broadcast(client, names, { n: 1 }),
        publishOrSink: name => pgOutbox.publishOrSink(client, name, { n: 2 }, SINK),
      });
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK');
      throw error;
    } finally {
      client.release();
    }
  },
  'Drizzle over postgres.js': work => drizzle(sql).transaction(tx => work(drizzled(tx))),
  'Drizzle over pg': work => drizzlePg(pool).transaction(tx => work(drizzled(tx))),
};

const drizzled = (tx: drizzleOutbox.DrizzleTransaction): Publishing => ({
  publish: (name, value, extras) => drizzleOutbox.publish(tx, name, value, extras),
  broadcast: names => drizzleOutbox.broadcast(tx, names, { n: 1 }),
  publishOrSink: name => drizzleOutbox.publishOrSink(tx, name, { n: 2 }, SINK),
});

const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'published',
    (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : String(error)),
  );

async function commit(adapter: string, transaction: Transaction): Promise<string> {
  const { order, broadcast } = namesOf(adapter);
  let key = '';
  await transaction(async tx => {
    key = await tx.publish(order, VALUE, EXTRAS);
    await tx.publish(order, BYTES);
    await tx.publish(order, 'text');
    await tx.broadcast(broadcast);
    await tx.publishOrSink(order);
  });
  return key;
}

async function rollBack(adapter: string, transaction: Transaction): Promise<string> {
  const rolledBack = transaction(async tx => {
    await tx.publish(namesOf(adapter).rolledBack, { n: 1 });
    throw new Error('rolled back');
  });
  return rolledBack.then(
    () => 'committed',
    (error: unknown) => String(error),
  );
}

/** What is not a transaction: a type error here, and refused when the program runs. */
async function refusals(): Promise<Readonly<Record<string, string>>> {
  const NAME = 'public:shop.refused';
  const reserved = await sql.reserve();
  try {
    return {
      // @ts-expect-error: the instance is a pool
      'instance of postgres.js': await codeOf(postgresOutbox.publish(sql, NAME, 1)),
      // @ts-expect-error: a pool
      'pool of pg': await codeOf(pgOutbox.publish(pool, NAME, 1)),
      // @ts-expect-error: the database object
      'database of Drizzle': await codeOf(drizzleOutbox.publish(drizzle(sql), NAME, 1)),
      // @ts-expect-error: the database object
      'database of Drizzle over pg': await codeOf(drizzleOutbox.publish(drizzlePg(pool), NAME, 1)),
      // @ts-expect-error: the instance is a pool
      'instance, broadcast': await codeOf(postgresOutbox.broadcast(sql, [NAME], 1)),
      // @ts-expect-error: a pool
      'pool, broadcast': await codeOf(pgOutbox.broadcast(pool, [NAME], 1)),
      // @ts-expect-error: the database object
      'Drizzle, broadcast': await codeOf(drizzleOutbox.broadcast(drizzle(sql), [NAME], 1)),
      // @ts-expect-error: the instance is a pool
      'instance, publishOrSink': await codeOf(postgresOutbox.publishOrSink(sql, NAME, 1, SINK)),
      // @ts-expect-error: a pool
      'pool, publishOrSink': await codeOf(pgOutbox.publishOrSink(pool, NAME, 1, SINK)),
      // @ts-expect-error: the database object
      'Drizzle, publishOrSink': await codeOf(drizzleOutbox.publishOrSink(drizzle(sql), NAME, 1, SINK)),
      // @ts-expect-error: a connection without a transaction
      'reserved connection of postgres.js': await codeOf(postgresOutbox.publish(reserved, NAME, 1)),
    };
  } finally {
    reserved.release();
  }
}

const adapters: Record<string, Printed['adapters'][string]> = {};
for (const [adapter, transaction] of Object.entries(ADAPTERS)) {
  adapters[adapter] = {
    key: await commit(adapter, transaction),
    rolledBack: await rollBack(adapter, transaction),
  };
}
// A connection of postgres.js cannot be reserved before one was used.
const printed: Printed = { adapters, refusals: await refusals() };
await sql.end();
await pool.end();
console.log(JSON.stringify(printed));
