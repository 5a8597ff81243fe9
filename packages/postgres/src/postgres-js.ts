import type { PublishPayload } from '@msg/core';
import type { PublishExtras, SinkDelivery } from './contract.ts';
import {
  broadcastStatement,
  hasMethods,
  notTransaction,
  type OutboxStatement,
  publishOrSinkStatement,
  publishStatement,
} from './statement.ts';

/** A transaction of postgres.js: the argument of the function that `sql.begin` is given. */
export interface PostgresJsTransaction {
  unsafe(text: string, params?: (string | null)[]): PromiseLike<readonly object[]>;
  readonly savepoint: unknown;
  /** Only the instance has these: its statements would be outside of the transaction. */
  readonly begin?: never;
  readonly end?: never;
}

/**
 * Publishes when the transaction commits; answers the key of the row.
 * @param value bytes, which stay unchanged, or a JSON value
 * @throws MsgError MSG_CHANNEL_INVALID; MSG_INVALID_ARGUMENT for anything but a transaction and a value that JSON cannot hold;
 * errors of the database, SQLSTATE 22023 for data that `msg.publish` refuses. Source: app-developers 12.5
 */
export function publish(
  tx: PostgresJsTransaction,
  name: string,
  value: PublishPayload,
  extras?: PublishExtras,
): Promise<string> {
  return run(tx, () => publishStatement(name, value, extras));
}

/** Publishes the same into up to 1,000 channels when the transaction commits. @throws as {@link publish} */
export async function broadcast(
  tx: PostgresJsTransaction,
  names: readonly string[],
  value: PublishPayload,
  extras?: PublishExtras,
): Promise<void> {
  await run(tx, () => broadcastStatement(names, value, extras));
}

/** Publishes, or sends through a sink, when the transaction commits; at least once. @throws as {@link publish} */
export function publishOrSink(
  tx: PostgresJsTransaction,
  name: string,
  value: PublishPayload,
  delivery: SinkDelivery,
): Promise<string> {
  return run(tx, () => publishOrSinkStatement(name, value, delivery));
}

async function run(tx: PostgresJsTransaction, statement: () => OutboxStatement): Promise<string> {
  if (!hasMethods(tx, 'unsafe', 'savepoint') || hasMethods(tx, 'begin')) {
    notTransaction('the transaction that sql.begin gives');
  }
  const { text, params } = statement();
  const [row] = await tx.unsafe(text, [...params]);
  return String(Object.values(row ?? {})[0]);
}
