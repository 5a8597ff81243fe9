// The orders in the database. What changes a row publishes it in the same transaction.
import { publish } from '@msg/postgres/postgres-js';
import type { Sql, TransactionSql } from 'postgres';
import { CHANNEL, type Item, type Order, type Row, STEPS } from './model.ts';

const TABLES = `
CREATE TABLE IF NOT EXISTS items (
  id text PRIMARY KEY,
  name text NOT NULL,
  remaining integer NOT NULL CHECK (remaining >= 0),
  revision integer NOT NULL DEFAULT 1
);
CREATE TABLE IF NOT EXISTS orders (
  id integer GENERATED ALWAYS AS IDENTITY (START WITH 1001) PRIMARY KEY,
  item text NOT NULL REFERENCES items,
  step integer NOT NULL DEFAULT 0,
  placed_at timestamptz NOT NULL DEFAULT now(),
  revision integer NOT NULL DEFAULT 1
);
INSERT INTO items (id, name, remaining) VALUES
  ('espresso', 'Espresso', 40), ('flat-white', 'Flat white', 40),
  ('croissant', 'Croissant', 12), ('cheesecake', 'Cheesecake', 2)
ON CONFLICT DO NOTHING`;

const ORDER = `'order' AS kind, orders.id, (SELECT name FROM items WHERE items.id = orders.item) AS item,
  ('{${STEPS.join(',')}}'::text[])[step + 1] AS step, 
  to_char(placed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS "placedAt", orders.revision`;
const ITEM = `'item' AS kind, id, name, remaining, revision`;

/** Makes the tables, and fills the shelf of a new shop. */
export const createTables = (sql: Sql): Promise<unknown> => sql.unsafe(TABLES);

/**
 * Places an order. The first publication stands before the statement that may fail: a roll-back takes it away with the rows.
 * @throws PostgresError 23514 when nothing remains of the item, 23503 for an item that the shop has not
 */
export function placeOrder(sql: Sql, item: string): Promise<Order> {
  return sql.begin(async tx => {
    const [order] = await tx<
      [Order]
    >`INSERT INTO orders (item) VALUES (${item}) RETURNING ${tx.unsafe(ORDER)}`;
    await publish(tx, CHANNEL, order);
    const [shelf] = await tx<[Item]>`
      UPDATE items SET remaining = remaining - 1, revision = revision + 1
      WHERE id = ${item} RETURNING ${tx.unsafe(ITEM)}`;
    await publish(tx, CHANNEL, shelf);
    return order;
  });
}

/** Takes an order to its next step; undefined when somebody was faster, or it is collected. */
export function advanceOrder(sql: Sql, id: number, revision: number): Promise<Order | undefined> {
  return sql.begin(async tx => {
    const [order] = await tx<Order[]>`
      UPDATE orders SET step = step + 1, revision = revision + 1
      WHERE id = ${id} AND revision = ${revision} AND step < ${STEPS.length - 1}
      RETURNING ${tx.unsafe(ORDER)}`;
    if (order !== undefined) await publish(tx, CHANNEL, order);
    return order;
  });
}

/** All items, and the newest hundred orders, as of one moment. */
export function readRows(sql: Sql): Promise<readonly Row[]> {
  return sql.begin('ISOLATION LEVEL REPEATABLE READ READ ONLY', async (tx: TransactionSql) => [
    ...(await tx<Item[]>`SELECT ${tx.unsafe(ITEM)} FROM items ORDER BY name`),
    ...(await tx<Order[]>`SELECT ${tx.unsafe(ORDER)} FROM orders ORDER BY id DESC LIMIT 100`),
  ]);
}
