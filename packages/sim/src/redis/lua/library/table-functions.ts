import { FROM_LIBRARY, failureAt, libraryFailure, running, typeFailure } from '../failure.ts';
import { callFromLibrary, less, textOf } from '../operators.ts';
import { type LuaFunction, NOTHING, type Results, typeName, type Value } from '../value.ts';
import { intAt, tableAt, textAt } from './arguments.ts';
import { rawSet, sortRange } from './sort.ts';

function concat(values: readonly Value[]): Results {
  const separator = textAt(values, 2, '');
  const table = tableAt(values, 1);
  const start = intAt(values, 3, 1);
  const end = values[3] === undefined ? table.length() : intAt(values, 4);
  let text = '';
  for (let index = start; index <= end; index++) {
    const value = table.get(index);
    if (typeof value !== 'string' && typeof value !== 'number')
      throw libraryFailure(`invalid value (${typeName(value)}) at index ${index} in table for 'concat'`);
    text += textOf(value);
    if (index < end) text += separator;
  }
  return text;
}

function insert(values: readonly Value[]): Results {
  const table = tableAt(values, 1);
  let end = table.length() + 1;
  if (values.length === 2) {
    rawSet(table, end, values[1]);
    return NOTHING;
  }
  if (values.length !== 3) throw libraryFailure("wrong number of arguments to 'insert'");
  const position = intAt(values, 2);
  end = Math.max(end, position);
  for (let index = end; index > position; index--) rawSet(table, index, table.get(index - 1));
  rawSet(table, position, values[2]);
  return NOTHING;
}

function remove(values: readonly Value[]): Results {
  const table = tableAt(values, 1);
  const end = table.length();
  const position = intAt(values, 2, end);
  if (position < 1 || position > end) return NOTHING;
  const removed = table.get(position);
  for (let index = position; index < end; index++) rawSet(table, index, table.get(index + 1));
  rawSet(table, end, undefined);
  return removed;
}

function greatestKey(values: readonly Value[]): number {
  const table = tableAt(values, 1);
  let greatest = 0;
  for (let entry = table.next(undefined); entry; entry = table.next(entry[0]))
    if (typeof entry[0] === 'number' && entry[0] > greatest) greatest = entry[0];
  return greatest;
}

function requireFunction(values: readonly Value[]): void {
  if (typeof values[1] !== 'function') throw typeFailure(values, 2, 'function');
}

function forEach(values: readonly Value[]): Results {
  const table = tableAt(values, 1);
  requireFunction(values);
  for (let entry = table.next(undefined); entry; entry = table.next(entry[0])) {
    running.site = FROM_LIBRARY;
    const [result] = callFromLibrary(values[1], FROM_LIBRARY, ...entry);
    if (result !== undefined) return result;
  }
  return NOTHING;
}

function forEachElement(values: readonly Value[]): Results {
  const table = tableAt(values, 1);
  const count = table.length();
  requireFunction(values);
  for (let index = 1; index <= count; index++) {
    running.site = FROM_LIBRARY;
    const [result] = callFromLibrary(values[1], FROM_LIBRARY, index, table.get(index));
    if (result !== undefined) return result;
  }
  return NOTHING;
}

function sort(values: readonly Value[]): Results {
  const table = tableAt(values, 1);
  const count = table.length();
  const { site } = running;
  if (values[1] !== undefined) requireFunction(values);
  const isLess = (left: Value, right: Value): boolean => {
    if (values[1] === undefined) return less(left, right, { ...FROM_LIBRARY, tail: site.line });
    running.site = FROM_LIBRARY;
    const [result] = callFromLibrary(values[1], FROM_LIBRARY, left, right);
    return result !== undefined && result !== false;
  };
  const inconsistent = () => failureAt(site, 'invalid order function for sorting');
  sortRange(table, 1, count, { isLess, inconsistent });
  return NOTHING;
}

/** The table `table`. */
export const TABLE: Readonly<Record<string, LuaFunction>> = {
  concat: (...values) => concat(values),
  foreach: (...values) => forEach(values),
  foreachi: (...values) => forEachElement(values),
  getn: (...values) => tableAt(values, 1).length(),
  insert: (...values) => insert(values),
  maxn: (...values) => greatestKey(values),
  remove: (...values) => remove(values),
  sort: (...values) => sort(values),
};
