import {
  attemptFailure,
  failureAt,
  LuaError,
  NotTranslated,
  readonlyFailure,
  running,
  type Site,
} from './failure.ts';
import { numberText, toNumber } from './numbers.ts';
import { type LuaFunction, LuaTable, listOf, type Results, typeName, type Value } from './value.ts';

/** Methods of strings: the table `string`. */
export const methods = new LuaTable();

/** `object[key]` */
function index(object: Value, key: Value, site: Site): Value {
  if (object instanceof LuaTable) return object.get(key);
  if (typeof object === 'string') return methods.get(key);
  throw attemptFailure(site, 'index', object, site.name);
}

/** `object[key] = value` */
function setIndex(object: Value, key: Value, value: Value, site: Site): void {
  if (!(object instanceof LuaTable)) throw attemptFailure(site, 'index', object, site.name);
  const failure = readonlyFailure(site, object);
  if (failure !== undefined) throw failure;
  if (key === undefined) throw failureAt(site, 'table index is nil');
  if (Number.isNaN(key)) throw failureAt(site, 'table index is NaN');
  object.set(key, value);
}

/** `-value` */
function negative(value: Value, site: Site): number {
  if (typeof value === 'number') return -value;
  const number = toNumber(value);
  if (number === undefined) throw attemptFailure(site, 'perform arithmetic on', value, site.name);
  return -number;
}

/** `#value` */
function length(value: Value, site: Site): number {
  if (typeof value === 'string') return value.length;
  if (value instanceof LuaTable) return value.length();
  throw attemptFailure(site, 'get length of', value, site.name);
}

/** `left + right` */
function add(left: Value, right: Value, site: Site): number {
  if (typeof left === 'number' && typeof right === 'number') return left + right;
  return operand(left, left, right, site) + operand(right, left, right, site);
}

/** `left - right` */
function subtract(left: Value, right: Value, site: Site): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  return operand(left, left, right, site) - operand(right, left, right, site);
}

/** `left * right` */
function multiply(left: Value, right: Value, site: Site): number {
  if (typeof left === 'number' && typeof right === 'number') return left * right;
  return operand(left, left, right, site) * operand(right, left, right, site);
}

/** `left / right` */
function divide(left: Value, right: Value, site: Site): number {
  return operand(left, left, right, site) / operand(right, left, right, site);
}

/** `left % right`, with the sign of the right one. */
export function modulo(left: Value, right: Value, site: Site): number {
  const dividend = operand(left, left, right, site);
  const divisor = operand(right, left, right, site);
  return dividend - Math.floor(dividend / divisor) * divisor;
}

/** `left ^ right` */
export function power(left: Value, right: Value, site: Site): number {
  const base = operand(left, left, right, site);
  const exponent = operand(right, left, right, site);
  // C says 1 where JavaScript says NaN.
  if (base === 1 || (base === -1 && !Number.isFinite(exponent) && !Number.isNaN(exponent))) return 1;
  return base ** exponent;
}

function operand(value: Value, left: Value, right: Value, site: Site): number {
  if (typeof value === 'number') return value;
  const number = toNumber(value);
  if (number !== undefined) return number;
  const isLeft = toNumber(left) === undefined;
  throw attemptFailure(site, 'perform arithmetic on', isLeft ? left : right, isLeft ? site.name : site.right);
}

/** `left .. right` */
function concat(left: Value, right: Value, site: Site): string {
  if (typeof left === 'string' && typeof right === 'string') return left + right;
  if (!isText(left)) throw attemptFailure(site, 'concatenate', left, site.name);
  if (!isText(right)) throw attemptFailure(site, 'concatenate', right, site.right);
  return textOf(left) + textOf(right);
}

function isText(value: Value): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

/** A string, or a number as a string. */
export function textOf(value: string | number): string {
  return typeof value === 'string' ? value : numberText(value);
}

/** `left < right` */
export function less(left: Value, right: Value, site: Site): boolean {
  if (typeof left === 'number' && typeof right === 'number') return left < right;
  if (typeof left === 'string' && typeof right === 'string') return left < right;
  throw orderFailure(left, right, site);
}

/** `left <= right` */
export function lessOrEqual(left: Value, right: Value, site: Site): boolean {
  if (typeof left === 'number' && typeof right === 'number') return left <= right;
  if (typeof left === 'string' && typeof right === 'string') return left <= right;
  throw orderFailure(left, right, site);
}

function orderFailure(left: Value, right: Value, site: Site): LuaError {
  const [leftType, rightType] = [typeName(left), typeName(right)];
  if (leftType === rightType) return failureAt(site, `attempt to compare two ${leftType} values`);
  return failureAt(site, `attempt to compare ${leftType} with ${rightType}`);
}

/** The function that a value is, for a call at this site. */
function callable(value: Value, site: Site): LuaFunction {
  if (typeof value !== 'function') throw attemptFailure(site, 'call', value, site.name);
  running.site = site;
  return value;
}

/** `callee()` */
function call0(callee: Value, site: Site): Results {
  return callable(callee, site)();
}

/** `callee(a)` */
function call1(callee: Value, site: Site, a: Value): Results {
  return callable(callee, site)(a);
}

/** `callee(a, b)` */
function call2(callee: Value, site: Site, a: Value, b: Value): Results {
  return callable(callee, site)(a, b);
}

/** `callee(a, b, c)` */
function call3(callee: Value, site: Site, a: Value, b: Value, c: Value): Results {
  return callable(callee, site)(a, b, c);
}

/** A call with any number of arguments. */
function callAll(callee: Value, site: Site, values: readonly Value[]): Results {
  return callable(callee, site)(...values);
}

/** `object:name(…)` */
function callMethod(
  object: Value,
  name: string,
  sites: readonly [Site, Site],
  values: readonly Value[],
): Results {
  return callable(index(object, name, sites[0]), sites[1])(object, ...values);
}

/** The library calls a function: errors of the library name neither it nor a place. */
export function callFromLibrary(callee: Value, site: Site, ...values: Value[]): readonly Value[] {
  if (typeof callee !== 'function') throw attemptFailure(site, 'call', callee, undefined);
  return listOf(callee(...values));
}

/** Limit, step and start of a numeric `for`. */
function loopBounds(start: Value, limit: Value, step: Value, site: Site): readonly [number, number, number] {
  const from = toNumber(start);
  const to = toNumber(limit);
  const by = toNumber(step);
  if (from === undefined) throw failureAt(site, "'for' initial value must be a number");
  if (to === undefined) throw failureAt(site, "'for' limit must be a number");
  if (by === undefined) throw failureAt(site, "'for' step must be a number");
  return [from, to, by];
}

/** What was thrown, as an error of the script; an error of the simulator is thrown on. */
export function caughtError(error: unknown): LuaError {
  if (error instanceof LuaError) return error;
  if (error instanceof RangeError)
    throw new NotTranslated('the stack of a script is deeper than that of the simulator');
  throw error;
}

/** What translated scripts calculate and call with, by the names that the translator writes. */
export const OPERATORS: Readonly<Record<string, unknown>> = {
  add,
  call0,
  call1,
  call2,
  call3,
  callAll,
  callMethod,
  concat,
  divide,
  index,
  length,
  less,
  lessOrEqual,
  loopBounds,
  modulo,
  multiply,
  negative,
  power,
  setIndex,
  subtract,
};
