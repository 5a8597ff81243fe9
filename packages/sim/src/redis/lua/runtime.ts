import { failureAt, running, type Site } from './failure.ts';
import { less, lessOrEqual, OPERATORS } from './operators.ts';
import { first, LuaTable, listOf, NOTHING, resultsOf, type Value } from './value.ts';

/** A table constructor that has a list alone. */
function listTable(arraySize: number, hashSize: number, list: readonly Value[]): LuaTable {
  const table = new LuaTable(arraySize, hashSize);
  storeList(table, list);
  return table;
}

/** Stores the list of a table constructor. */
function storeList(table: LuaTable, list: readonly Value[]): void {
  table.reserve(list.length);
  for (let index = 0; index < list.length; index++) table.set(index + 1, list[index]);
}

function isTrue(value: Value): boolean {
  return value !== undefined && value !== false;
}

function missing(name: string, site: Site): never {
  throw failureAt(site, `Script attempted to access nonexistent global variable '${name}'`);
}

function setGlobal(_value: Value, site: Site): never {
  throw failureAt(site, 'Attempt to modify a readonly table');
}

function greater(left: Value, right: Value, site: Site): boolean {
  return less(right, left, site);
}

function greaterOrEqual(left: Value, right: Value, site: Site): boolean {
  return lessOrEqual(right, left, site);
}

/** What translated scripts call, by the names that the translator writes. */
export const RUNTIME: Readonly<Record<string, unknown>> = {
  ...OPERATORS,
  LuaTable,
  NOTHING,
  first,
  greater,
  greaterOrEqual,
  isTrue,
  listOf,
  listTable,
  missing,
  resultsOf,
  running,
  setGlobal,
  storeList,
};
