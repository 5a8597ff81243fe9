import type { OutboxStatus, PostgresSql, SchemaOptions } from '../contract.ts';
import { LATEST_VERSION, schemaVersion } from '../schema/migrate.ts';
import { inSchema, schemaName } from '../schema/name.ts';
import { queryJson } from '../schema/values.ts';

/** Rows, age and dead rows; remembers the count for the bound on rows. */
export const COUNT = `WITH counted AS (
  UPDATE {schema}.outbox_state SET counted_rows = c.rows FROM (SELECT count(*) AS rows FROM {schema}.outbox) c
    RETURNING counted_rows, max_rows)
SELECT json_build_object(
  'rows', (SELECT counted_rows FROM counted),
  'maxRows', (SELECT max_rows FROM counted),
  'oldestSeconds', coalesce((SELECT extract(epoch FROM clock_timestamp() - created_at)
    FROM {schema}.outbox ORDER BY id LIMIT 1), 0),
  'deadRows', (SELECT count(*) FROM {schema}.outbox_dead),
  'leases', (SELECT count(*) FROM {schema}.outbox_partition WHERE lease_until > clock_timestamp()),
  'held', (SELECT coalesce(json_agg(h), '[]') FROM (
    SELECT channel, attempts, coalesce(last_error, '') AS "lastError" FROM {schema}.outbox
      WHERE not_before IS NOT NULL ORDER BY id LIMIT 20) h))::text`;

/** What {@link COUNT} answers. */
export type OutboxCount = Omit<OutboxStatus, 'version' | 'latestVersion'>;

const EMPTY: OutboxCount = { rows: 0, maxRows: 0, oldestSeconds: 0, deadRows: 0, leases: 0, held: [] };

/** The state of an outbox. Counts its rows, which takes time where millions wait. */
export async function outboxStatus(sql: PostgresSql, options: SchemaOptions = {}): Promise<OutboxStatus> {
  const version = await schemaVersion(sql, options);
  const isReadable = version === LATEST_VERSION;
  const count = isReadable ? await queryJson(sql, inSchema(COUNT, schemaName(options))) : EMPTY;
  return { version, latestVersion: LATEST_VERSION, ...(count as OutboxCount) };
}
