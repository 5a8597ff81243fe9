import { argumentFailure, libraryFailure } from '../failure.ts';
import { numberText } from '../numbers.ts';
import { LuaPointer } from '../pointer.ts';
import { LuaTable, typeName, type Value } from '../value.ts';

const MAX_DEPTH = 1000;
const SPARSE_RATIO = 2;
const SPARSE_SAFE = 10;

const NAMED_ESCAPES: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
  '"': '\\"',
  '/': '\\/',
  '\\': '\\\\',
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is escaped
const ESCAPED = /[\x00-\x1f"/\\\x7f]/g;

/** `cjson.encode` (lua_cjson.c). */
export function encodeJson(values: readonly Value[]): string {
  if (values.length !== 1) throw argumentFailure(1, 'expected 1 argument');
  return written(values[0], 0);
}

function written(value: Value, depth: number): string {
  switch (typeof value) {
    case 'string':
      return quoted(value);
    case 'number':
      return finite(value);
    case 'boolean':
      return String(value);
    case 'undefined':
      return 'null';
    default:
      if (value instanceof LuaTable) return table(value, depth + 1);
      if (value instanceof LuaPointer) return 'null';
      throw refused(value, 'type not supported');
  }
}

function refused(value: Value, reason: string): Error {
  return libraryFailure(`Cannot serialise ${typeName(value)}: ${reason}`);
}

function quoted(text: string): string {
  return `"${text.replace(ESCAPED, byte => NAMED_ESCAPES[byte] ?? `\\u00${byte.charCodeAt(0).toString(16).padStart(2, '0')}`)}"`;
}

function finite(number: number): string {
  if (!Number.isFinite(number)) throw refused(number, 'must not be NaN or Inf');
  return numberText(number);
}

function table(value: LuaTable, depth: number): string {
  if (depth > MAX_DEPTH) throw libraryFailure(`Cannot serialise, excessive nesting (${depth})`);
  const length = arrayLength(value);
  // An empty table is an object, whatever it was.
  return length > 0 ? array(value, length, depth) : object(value, depth);
}

/** Length of a table that holds nothing but elements; -1 for any other. */
function arrayLength(value: LuaTable): number {
  let greatest = 0;
  let count = 0;
  for (let entry = value.next(undefined); entry; entry = value.next(entry[0])) {
    const [key] = entry;
    if (typeof key !== 'number' || !(key >= 1) || Math.floor(key) !== key) return -1;
    // C casts to 32 bits: what is beyond them becomes the least number.
    if (key > greatest) greatest = key < 2 ** 31 ? key : -(2 ** 31);
    count++;
  }
  if (greatest > count * SPARSE_RATIO && greatest > SPARSE_SAFE)
    throw refused(value, 'excessively sparse array');
  return greatest;
}

function array(value: LuaTable, length: number, depth: number): string {
  let text = '[';
  for (let index = 1; index <= length; index++)
    text += (index > 1 ? ',' : '') + written(value.get(index), depth);
  return `${text}]`;
}

function object(value: LuaTable, depth: number): string {
  const members: string[] = [];
  for (let entry = value.next(undefined); entry; entry = value.next(entry[0])) {
    const [key, member] = entry;
    if (typeof key !== 'number' && typeof key !== 'string')
      throw refused(key, 'table key must be a number or string');
    members.push(`${typeof key === 'number' ? `"${finite(key)}"` : quoted(key)}:${written(member, depth)}`);
  }
  return `{${members.join(',')}}`;
}
