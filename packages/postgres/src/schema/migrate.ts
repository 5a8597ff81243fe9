import { MsgError } from '@msg/core';
import type { PostgresSql, SchemaOptions } from '../contract.ts';
import { CLAIMING } from './claiming.ts';
import { CLAIMING_BATCHES } from './claiming-batches.ts';
import { CLAIMING_BY_ID } from './claiming-by-id.ts';
import { inSchema, schemaName } from './name.ts';
import { ALIAS, PUBLISHING } from './publishing.ts';
import { QUICK_PUBLISHING } from './quick-publishing.ts';
import { TABLES } from './tables.ts';
import { queryValue } from './values.ts';

/** Forward only, in the order of their numbers; one that was released never changes. */
const STEPS: readonly { readonly name: string; readonly text: string }[] = [
  { name: 'tables', text: TABLES },
  { name: 'publishing', text: PUBLISHING },
  { name: 'claiming', text: CLAIMING },
  { name: 'claiming_batches', text: CLAIMING_BATCHES },
  { name: 'quick_publishing', text: QUICK_PUBLISHING },
  { name: 'claiming_by_id', text: CLAIMING_BY_ID },
];

/** Migrations that this program knows. */
export const LATEST_VERSION: number = STEPS.length;

/** One migration. */
export interface Migration {
  /** From 1. */
  readonly number: number;
  readonly name: string;
  /** One statement, for any client of the database; without effect where it was applied. */
  readonly text: string;
}

/** Where, and what beside the schema. */
export interface MigrateOptions extends SchemaOptions {
  /** Make `msg_publish` in the schema `public`, too. */
  readonly alias?: boolean;
}

/** What `migrate` did. */
export interface MigrationReport {
  /** Version of the schema before; 0: it did not exist. */
  readonly from: number;
  readonly to: number;
}

/**
 * The migrations of a schema as statements, for review or for the tool that an application migrates with.
 * @throws MsgError MSG_INVALID_ARGUMENT for a schema that is not a plain name
 */
export function migrations(options: MigrateOptions = {}): readonly Migration[] {
  const schema = schemaName(options);
  return STEPS.map(({ name, text }, index) => {
    const number = index + 1;
    return { number, name, text: inSchema(guarded(number, name, text), schema) };
  });
}

/**
 * Brings the schema to the version of this program: each migration is one transaction behind an advisory lock, so that
 * of two programs one waits.
 * @throws MsgError MSG_INVALID_ARGUMENT for a schema that is newer than this program; errors of the database
 */
export async function migrate(sql: PostgresSql, options: MigrateOptions = {}): Promise<MigrationReport> {
  const schema = schemaName(options);
  const from = await schemaVersion(sql, options);
  requireKnown(from, schema);
  for (const { number, text } of migrations(options)) if (number > from) await sql.unsafe(text);
  if (options.alias === true) await sql.unsafe(inSchema(ALIAS, schema));
  const to = await schemaVersion(sql, options);
  requireKnown(to, schema);
  return { from, to };
}

/** Migrations that the schema has; 0: it does not exist. */
export async function schemaVersion(sql: PostgresSql, options: SchemaOptions): Promise<number> {
  const schema = schemaName(options);
  const table = 'SELECT (to_regclass($1::text) IS NOT NULL)::text';
  if ((await queryValue(sql, table, [`${schema}.outbox_migration`])) !== 'true') return 0;
  return Number(
    await queryValue(
      sql,
      inSchema('SELECT coalesce(max(number), 0)::text FROM {schema}.outbox_migration', schema),
    ),
  );
}

/** @throws MsgError MSG_INVALID_ARGUMENT, with both versions, unless this program and the schema fit */
export async function requireMigrated(sql: PostgresSql, options: SchemaOptions): Promise<void> {
  const schema = schemaName(options);
  const version = await schemaVersion(sql, options);
  requireKnown(version, schema);
  if (version === LATEST_VERSION) return;
  throw new MsgError(
    'MSG_INVALID_ARGUMENT',
    `the outbox schema "${schema}" must have version ${LATEST_VERSION}; got ${version}: call migrate`,
  );
}

function requireKnown(version: number, schema: string): void {
  if (version <= LATEST_VERSION) return;
  throw new MsgError(
    'MSG_INVALID_ARGUMENT',
    `the outbox schema "${schema}" must have at most version ${LATEST_VERSION}, which this program knows; got ${version}`,
  );
}

/** A migration as one statement that does nothing the second time. */
function guarded(number: number, name: string, text: string): string {
  return `DO $migration$
BEGIN
  PERFORM pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('{schema}.outbox_migration', 0));
  IF pg_catalog.to_regclass('{schema}.outbox_migration') IS NOT NULL THEN
    PERFORM FROM {schema}.outbox_migration WHERE number >= ${number};
    IF FOUND THEN RETURN; END IF;
  END IF;
  EXECUTE $statements$${text}$statements$;
  INSERT INTO {schema}.outbox_migration (number, name) VALUES (${number}, '${name}');
END $migration$`;
}
