import { defined } from '@msg/foundation/json';
import { type Json, type JsonObject, setMember } from '../../document/json.ts';
import type { DataRows, Row } from '../contract.ts';

/** Lists of cells as rows; a name that several columns have gets a number: `id`, `id_2`. */
export function rowsOf(
  columns: readonly { readonly name: string }[],
  fetched: readonly (readonly Json[])[],
  most: number,
): DataRows {
  const names = distinct(columns.map(({ name }) => name));
  const rows = fetched.slice(0, most).map(cells => rowOf(names, cells));
  return defined({ columns: names, rows, truncated: fetched.length > most ? (true as const) : undefined });
}

function rowOf(names: readonly string[], cells: readonly Json[]): Row {
  const row: JsonObject = {};
  for (let index = 0; index < names.length; index++) {
    const name = names[index] as string;
    const cell = cells[index] ?? null;
    if (name === '__proto__') setMember(row, name, cell);
    else row[name] = cell;
  }
  return row;
}

function distinct(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map(name => {
    let unused = name;
    for (let count = 2; taken.has(unused); count++) unused = `${name}_${count}`;
    taken.add(unused);
    return unused;
  });
}
