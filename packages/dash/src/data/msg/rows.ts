import { defined } from '@msg/foundation/json';
import {
  isJsonObject,
  type Json,
  type JsonObject,
  ownMember,
  scalarOf,
  setMember,
} from '../../document/json.ts';
import type { DataRows, Row } from '../contract.ts';

/** What a query asks of a channel. */
export interface Picked {
  /** The newest publications, so many of them. */
  readonly limit: number;
  /** Names of members; all where it is absent. */
  readonly fields?: readonly string[];
}

/** The data of a publication as a row: the members of an object, anything else as `value`. */
export function rowOf(data: Json): Row {
  if (!isJsonObject(data)) return { value: scalarOf(data) };
  const row: JsonObject = {};
  for (const [name, value] of Object.entries(data)) setMember(row, name, scalarOf(value));
  return row;
}

/** The rows that a query picks, oldest first. */
export function pickedRows(
  all: readonly Row[],
  { limit, fields }: Picked,
  warning: string | undefined,
): DataRows {
  const rows = all.slice(-limit).map(row => (fields === undefined ? row : withFields(row, fields)));
  return defined({
    columns: fields ?? columnsOf(rows),
    rows,
    warnings: warning === undefined ? undefined : [warning],
  });
}

function withFields(row: Row, fields: readonly string[]): Row {
  const picked: JsonObject = {};
  for (const name of fields) setMember(picked, name, ownMember(row as JsonObject, name) ?? null);
  return picked;
}

function columnsOf(rows: readonly Row[]): string[] {
  return [...new Set(rows.flatMap(row => Object.keys(row)))];
}
