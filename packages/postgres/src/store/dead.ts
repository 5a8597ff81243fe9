import { MsgError } from '@msg/core';
import type { DeadRow, DeadSelection, PostgresSql } from '../contract.ts';
import { inSchema, schemaName } from '../schema/name.ts';
import { queryJson, queryValue } from '../schema/values.ts';

const SELECTED = `($1::text IS NULL OR d.id = ANY ($1::text::bigint[]))
  AND ($2::text IS NULL OR d.code = $2::text) AND ($3::text IS NULL OR d.channel = $3::text)`;

const LIST = `SELECT coalesce(json_agg(r), '[]')::text FROM (
  SELECT d.id::text AS id, d.key, d.channel, d.kind, d.code, coalesce(d.last_error, '') AS "lastError", d.attempts,
    octet_length(d.data) AS bytes, coalesce(d.tags, '{}') AS tags,
    to_char(d.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "createdAt",
    to_char(d.dead_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "deadAt"
  FROM {schema}.outbox_dead d WHERE ${SELECTED} AND ($4::text IS NULL OR d.id > $4::text::bigint)
  ORDER BY d.id LIMIT $5::text::int) r`;

const RETRY = `WITH gone AS (DELETE FROM {schema}.outbox_dead d WHERE ${SELECTED} RETURNING d.*), added AS (
  INSERT INTO {schema}.outbox (key, partition, channel, kind, data, tags, options)
    SELECT g.key, g.partition, g.channel, g.kind, g.data, g.tags, g.options FROM gone g ORDER BY g.id
    RETURNING 1)
SELECT count(*)::text FROM added`;

const DISCARD = `WITH gone AS (DELETE FROM {schema}.outbox_dead d WHERE ${SELECTED} RETURNING 1)
SELECT count(*)::text FROM gone`;

const MOST = 1000;
const ID = /^[0-9]{1,19}$/;

/** Which part of the list. */
export interface DeadPage {
  /** 1 to 1,000. Default 100. */
  readonly limit?: number;
  /** Id after which the list goes on. */
  readonly after?: string;
}

/**
 * Dead rows, oldest first, without their payloads.
 * @throws MsgError MSG_INVALID_ARGUMENT for a limit outside 1 to 1,000, or an id that is not a number
 */
export async function listDead(
  sql: PostgresSql,
  { limit = 100, after, ...selection }: DeadSelection & DeadPage = {},
): Promise<readonly DeadRow[]> {
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST) {
    throw new MsgError('MSG_INVALID_ARGUMENT', `limit must be from 1 to ${MOST}; got ${limit}`);
  }
  if (after !== undefined) requireId(after);
  const params = [...paramsOf(selection), after ?? null, String(limit)];
  return (await queryJson(sql, inSchema(LIST, schemaName(selection)), params)) as DeadRow[]; // by the statement
}

/**
 * Puts dead rows back into the outbox, each with a new id and its old key; answers their number.
 * @throws MsgError MSG_INVALID_ARGUMENT for an id that is not a number
 */
export async function retryDead(sql: PostgresSql, selection: DeadSelection): Promise<number> {
  return change(sql, RETRY, selection);
}

/**
 * Drops dead rows with their payloads; answers their number.
 * @throws MsgError MSG_INVALID_ARGUMENT for an id that is not a number
 */
export async function discardDead(sql: PostgresSql, selection: DeadSelection): Promise<number> {
  return change(sql, DISCARD, selection);
}

async function change(sql: PostgresSql, text: string, selection: DeadSelection): Promise<number> {
  return Number(await queryValue(sql, inSchema(text, schemaName(selection)), paramsOf(selection)));
}

function paramsOf({ ids, code, channel }: DeadSelection): (string | null)[] {
  for (const id of ids ?? []) requireId(id);
  return [ids === undefined ? null : `{${ids.join(',')}}`, code ?? null, channel ?? null];
}

function requireId(id: string): void {
  if (ID.test(id)) return;
  throw new MsgError(
    'MSG_INVALID_ARGUMENT',
    `the id of a dead row must be a number; got ${JSON.stringify(String(id).slice(0, 40))}`,
  );
}
