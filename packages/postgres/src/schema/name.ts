import { MsgError } from '@msg/core';
import type { SchemaOptions } from '../contract.ts';

const DEFAULT_SCHEMA = 'msg';
const NAME = /^[a-z_][a-z0-9_]{0,39}$/;

/** Statements name the schema this way; the name itself is checked before it takes the place. */
const PLACE = /\{schema\}/g;

/** @throws MsgError MSG_INVALID_ARGUMENT for anything but a plain lower-case name */
export function schemaName({ schema = DEFAULT_SCHEMA }: SchemaOptions): string {
  if (typeof schema === 'string' && NAME.test(schema) && !schema.startsWith('pg_')) return schema;
  const shown = JSON.stringify(String(schema).slice(0, 80));
  throw new MsgError(
    'MSG_INVALID_ARGUMENT',
    `schema must be a name of lower-case letters, digits and "_", at most 40, not beginning with a digit or "pg_"; got ${shown}`,
  );
}

/** A statement for a schema, whose name is checked. */
export function inSchema(text: string, schema: string): string {
  return text.replace(PLACE, schema);
}
