import {
  argumentFailure,
  coreFailure,
  FROM_LIBRARY,
  LuaError,
  libraryFailure,
  NotTranslated,
  positionOf,
  running,
} from '../failure.ts';
import { serialOf } from '../hash.ts';
import { numberText, toNumber } from '../numbers.ts';
import { caughtError, textOf } from '../operators.ts';
import { LuaPointer } from '../pointer.ts';
import { type LuaFunction, LuaTable, listOf, NOTHING, type Results, typeName, type Value } from '../value.ts';
import { cString, intAt, requireAny, tableAt, textAt } from './arguments.ts';
import { wholeStart } from './whole-numbers.ts';

/** Most values that the stack of Lua takes at once (LUAI_MAXCSTACK). */
const MAX_RESULTS = 8000;

/** A value as `tostring` returns it. */
function shownText(value: Value): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      return numberText(value);
    case 'boolean':
      return String(value);
    case 'undefined':
      return 'nil';
    default:
      if (value instanceof LuaPointer) return 'userdata: (nil)';
      return `${typeName(value)}: 0x${serialOf(value).toString(16)}`;
  }
}

function convert(values: readonly Value[]): number | undefined {
  const base = intAt(values, 2, 10);
  if (base === 10) {
    requireAny(values, 1);
    return toNumber(values[0]);
  }
  const text = cString(textAt(values, 1));
  if (base < 2 || base > 36) throw argumentFailure(2, 'base out of range');
  return wholeStart(text, base);
}

function next(values: readonly Value[]): Results {
  const entry = tableAt(values, 1).next(values[1]);
  if (entry === null) throw coreFailure("invalid key to 'next'");
  return entry;
}

function nextElement(values: readonly Value[]): Results {
  const index = intAt(values, 2) + 1;
  const value = tableAt(values, 1).get(index);
  return value === undefined ? NOTHING : [index, value];
}

const NEXT: LuaFunction = (...values) => next(values);
const NEXT_ELEMENT: LuaFunction = (...values) => nextElement(values);

function raise(values: readonly Value[]): never {
  const level = intAt(values, 2, 1);
  const [value] = values;
  const { site, caller } = running;
  const position = level === 1 ? positionOf(site) : level === 2 ? positionOf(caller) : '';
  if (level > 2) throw new NotTranslated(`error with level ${level}`);
  const isText = typeof value === 'string' || typeof value === 'number';
  throw new LuaError(isText && level > 0 ? position + textOf(value) : value, site.line);
}

/** `pcall`: an error with a text in `err` is that text, as scripts for older servers expect. */
function protectedCall(values: readonly Value[]): Results {
  const [callee, ...rest] = values;
  try {
    if (typeof callee !== 'function')
      throw new LuaError(`attempt to call a ${typeName(callee)} value`, undefined);
    running.site = FROM_LIBRARY;
    return [true, ...listOf(callee(...rest))];
  } catch (error) {
    const { value } = caughtError(error);
    const text = value instanceof LuaTable ? value.get('err') : undefined;
    return [false, typeof text === 'string' || typeof text === 'number' ? text : value];
  }
}

function handledCall(values: readonly Value[]): Results {
  requireAny(values, 2);
  const [callee, handler] = values;
  try {
    if (typeof callee !== 'function')
      throw new LuaError(`attempt to call a ${typeName(callee)} value`, undefined);
    running.site = FROM_LIBRARY;
    return [true, ...listOf(callee())];
  } catch (error) {
    const { value } = caughtError(error);
    running.site = FROM_LIBRARY;
    if (typeof handler !== 'function') throw new NotTranslated('xpcall without a function for errors');
    return [false, listOf(handler(value))[0]];
  }
}

function assertTrue(values: readonly Value[]): Results {
  requireAny(values, 1);
  if (values[0] !== undefined && values[0] !== false) return values;
  throw libraryFailure(cString(textAt(values, 2, 'assertion failed!')));
}

function unpack(values: readonly Value[]): Results {
  const table = tableAt(values, 1);
  const start = intAt(values, 2, 1);
  const end = values[2] === undefined ? table.length() : intAt(values, 3);
  if (start > end) return NOTHING;
  if (end - start + 1 >= MAX_RESULTS) throw libraryFailure('too many results to unpack');
  return Array.from({ length: end - start + 1 }, (_, index) => table.get(start + index));
}

function select(values: readonly Value[]): Results {
  const [choice] = values;
  if (typeof choice === 'string' && choice.startsWith('#')) return values.length - 1;
  const index = intAt(values, 1);
  const start = index < 0 ? values.length + index : Math.min(index, values.length);
  if (start < 1) throw argumentFailure(1, 'index out of range');
  return values.slice(start);
}

/** Functions without a table. */
export const BASE: Readonly<Record<string, LuaFunction>> = {
  assert: (...values) => assertTrue(values),
  error: (...values) => raise(values),
  ipairs: (...values) => [NEXT_ELEMENT, tableAt(values, 1), 0],
  next: NEXT,
  pairs: (...values) => [NEXT, tableAt(values, 1), undefined],
  pcall: (...values) => protectedCall(values),
  rawequal: (...values) => {
    requireAny(values, 1);
    requireAny(values, 2);
    return values[0] === values[1];
  },
  rawget: (...values) => {
    requireAny(values, 2);
    return tableAt(values, 1).get(values[1]);
  },
  select: (...values) => select(values),
  tonumber: (...values) => convert(values),
  tostring: (...values) => {
    requireAny(values, 1);
    return shownText(values[0]);
  },
  type: (...values) => {
    requireAny(values, 1);
    return typeName(values[0]);
  },
  unpack: (...values) => unpack(values),
  xpcall: (...values) => handledCall(values),
};
