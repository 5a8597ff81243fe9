import type { PublishPayload } from '@msg/core';
import { type SQL, sql } from 'drizzle-orm';
import type { PublishExtras, SinkDelivery } from './contract.ts';
import {
  broadcastStatement,
  hasMethods,
  notTransaction,
  type OutboxStatement,
  publishOrSinkStatement,
  publishStatement,
} from './statement.ts';

/** A transaction of Drizzle: the argument of the function that `db.transaction` is given. */
export interface DrizzleTransaction {
  execute(query: SQL): PromiseLike<unknown>;
  /** Only a transaction has it. */
  rollback(): never;
}

/**
 * Publishes when the transaction commits; answers the key of the row.
 * @param value bytes, which stay unchanged, or a JSON value
 * @throws MsgError MSG_CHANNEL_INVALID; MSG_INVALID_ARGUMENT for anything but a transaction and a value that JSON cannot hold;
 * errors of the database, SQLSTATE 22023 for data that `msg.publish` refuses. Source: app-developers 12.5
 */
export function publish(
  tx: DrizzleTransaction,
  name: string,
  value: PublishPayload,
  extras?: PublishExtras,
): Promise<string> {
  return run(tx, () => publishStatement(name, value, extras));
}

/** Publishes the same into up to 1,000 channels when the transaction commits. @throws as {@link publish} */
export async function broadcast(
  tx: DrizzleTransaction,
  names: readonly string[],
  value: PublishPayload,
  extras?: PublishExtras,
): Promise<void> {
  await run(tx, () => broadcastStatement(names, value, extras));
}

/** Publishes, or sends through a sink, when the transaction commits; at least once. @throws as {@link publish} */
export function publishOrSink(
  tx: DrizzleTransaction,
  name: string,
  value: PublishPayload,
  delivery: SinkDelivery,
): Promise<string> {
  return run(tx, () => publishOrSinkStatement(name, value, delivery));
}

async function run(tx: DrizzleTransaction, statement: () => OutboxStatement): Promise<string> {
  if (!hasMethods(tx, 'execute', 'rollback')) {
    notTransaction('the transaction that db.transaction gives');
  }
  const { text, params } = statement();
  const result = await tx.execute(queryOf(text, params));
  const [row] = rowsOf(result);
  return String(Object.values(row ?? {})[0]);
}

/** The statement in Drizzle's form, whose parameters are numbered by Drizzle. */
function queryOf(text: string, params: readonly (string | null)[]): SQL {
  const chunks = text
    .split(/\$(\d)/)
    .map((part, index) => (index % 2 === 0 ? sql.raw(part) : sql`${params[Number(part) - 1]}`));
  return sql.join(chunks);
}

/** Rows as postgres.js answers them, or inside the result of `pg`. */
function rowsOf(result: unknown): readonly object[] {
  if (Array.isArray(result)) return result as readonly object[]; // rows are objects
  const rows = (result as { readonly rows?: unknown } | null)?.rows;
  return Array.isArray(rows) ? (rows as readonly object[]) : [];
}
