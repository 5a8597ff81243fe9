import { LuaPointer } from './pointer.ts';
import { TableLayout } from './table-layout.ts';

/** A value of a script: undefined is nil, a string holds bytes as Latin-1. */
export type Value = undefined | boolean | number | string | LuaTable | LuaFunction | LuaPointer;

/** What a function returns: one value, or an array where it is not exactly one. */
export type Results = Value | readonly Value[];

/** A function of a script or of the library. */
export type LuaFunction = (...args: Value[]) => Results;

/** No results. */
export const NOTHING: readonly Value[] = [];

/** A table of a script. */
export class LuaTable extends TableLayout<Value> {}

/** Name of a value's type, as `type` returns it. */
export function typeName(value: Value): string {
  switch (typeof value) {
    case 'undefined':
      return 'nil';
    case 'object':
      return value instanceof LuaPointer ? 'userdata' : 'table';
    default:
      return typeof value;
  }
}

/** The first of several results. */
export function first(results: Results): Value {
  return Array.isArray(results) ? results[0] : (results as Value);
}

/** Results as a list. */
export function listOf(results: Results): readonly Value[] {
  return Array.isArray(results) ? results : [results as Value];
}

/** A list as results. */
export function resultsOf(list: readonly Value[]): Results {
  return list.length === 1 ? list[0] : list;
}
