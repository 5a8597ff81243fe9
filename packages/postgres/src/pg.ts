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

/** A client of `pg` on which `BEGIN` was executed; not a pool, each of whose statements may take another client. */
export interface PgClient {
  query(text: string, params?: (string | null)[]): Promise<{ readonly rows: readonly object[] }>;
  /** Only a pool has these. */
  readonly totalCount?: never;
  readonly idleCount?: never;
}

/**
 * Publishes when the transaction of the client commits; answers the key of the row.
 * @param value bytes, which stay unchanged, or a JSON value
 * @throws MsgError MSG_CHANNEL_INVALID; MSG_INVALID_ARGUMENT for a pool and a value that JSON cannot hold; errors of the
 * database, SQLSTATE 22023 for data that `msg.publish` refuses. Source: app-developers 12.5
 */
export function publish(
  tx: PgClient,
  name: string,
  value: PublishPayload,
  extras?: PublishExtras,
): Promise<string> {
  return run(tx, () => publishStatement(name, value, extras));
}

/** Publishes the same into up to 1,000 channels when the transaction commits. @throws as {@link publish} */
export async function broadcast(
  tx: PgClient,
  names: readonly string[],
  value: PublishPayload,
  extras?: PublishExtras,
): Promise<void> {
  await run(tx, () => broadcastStatement(names, value, extras));
}

/** Publishes, or sends through a sink, when the transaction commits; at least once. @throws as {@link publish} */
export function publishOrSink(
  tx: PgClient,
  name: string,
  value: PublishPayload,
  delivery: SinkDelivery,
): Promise<string> {
  return run(tx, () => publishOrSinkStatement(name, value, delivery));
}

async function run(tx: PgClient, statement: () => OutboxStatement): Promise<string> {
  if (!hasMethods(tx, 'query') || 'totalCount' in tx || 'idleCount' in tx) {
    notTransaction('a client on which BEGIN was executed, not a pool');
  }
  const { text, params } = statement();
  const { rows } = await tx.query(text, [...params]);
  return String(Object.values(rows[0] ?? {})[0]);
}
