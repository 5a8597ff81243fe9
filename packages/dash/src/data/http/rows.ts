import { defined } from '@msg/foundation/json';
import {
  isJsonObject,
  type Json,
  type JsonObject,
  ownMember,
  scalarOf,
  setMember,
} from '../../document/json.ts';
import { MOST_ROWS } from '../bounded-rows.ts';
import type { DataRows, Row } from '../contract.ts';
import { responseInvalid } from '../dial/response-body.ts';

/**
 * The rows of an answer: the elements of the array at `path`, each with the cells that `fields` names, or flattened by
 * one level (page and review 5.4).
 * @throws DashError QUERY_RESPONSE_INVALID where no array is.
 */
export function rowsOfJson(answer: Json, mapping: JsonObject): DataRows {
  const path = ownMember(mapping, 'path');
  const at = typeof path === 'string' ? path : '';
  const list = valueAt(answer, at);
  if (!Array.isArray(list)) {
    throw responseInvalid(`there is no array at "${at}", but ${kindOf(list)}; set rows.path`, at);
  }
  const fields = ownMember(mapping, 'fields');
  const toRow = isJsonObject(fields) ? fieldsOf(fields) : flattened;
  const rows = list.slice(0, MOST_ROWS).map(toRow);
  const columns = isJsonObject(fields) ? Object.keys(fields) : keysOf(rows);
  return defined({ columns, rows, truncated: list.length > MOST_ROWS ? (true as const) : undefined });
}

function fieldsOf(fields: JsonObject): (element: Json) => Row {
  const pointers = Object.entries(fields).map(([name, pointer]) => [name, String(pointer)] as const);
  return element => rowOf(pointers.map(([name, pointer]) => [name, valueAt(element, pointer) ?? null]));
}

/** Objects inside an element give one column for each of their members; what is deeper is text. */
function flattened(element: Json): Row {
  if (!isJsonObject(element)) return { value: scalarOf(element) };
  return rowOf(
    Object.entries(element).flatMap(([name, member]): [string, Json][] =>
      isJsonObject(member)
        ? Object.entries(member).map(([inner, value]) => [`${name}.${inner}`, value])
        : [[name, member]],
    ),
  );
}

function rowOf(cells: Iterable<readonly [string, Json]>): Row {
  const row: JsonObject = {};
  for (const [name, value] of cells) {
    if (name === '__proto__') setMember(row, name, scalarOf(value));
    else row[name] = scalarOf(value);
  }
  return row;
}

/** The value that a JSON pointer names; undefined where the pointer leads nowhere. */
function valueAt(value: Json, pointer: string): Json | undefined {
  let target: Json | undefined = value;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(target)) target = /^\d+$/.test(key) ? target[Number(key)] : undefined;
    else target = isJsonObject(target) ? ownMember(target, key) : undefined;
  }
  return target;
}

function keysOf(rows: readonly Row[]): string[] {
  const keys = new Set<string>();
  for (const row of rows) for (const key in row) keys.add(key);
  return [...keys];
}

function kindOf(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  return isJsonObject(value) ? 'an object' : 'a scalar';
}
