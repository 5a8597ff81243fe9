import { argumentFailure, typeFailure } from '../failure.ts';
import { toNumber } from '../numbers.ts';
import { textOf } from '../operators.ts';
import type { Value } from '../value.ts';
import { LuaTable } from '../value.ts';

/** What a double beyond the range becomes in C on x86. */
const LEAST_INTEGER = -(2 ** 63);

/** A number without its decimals, as C casts it to 64 bits. */
export function castInteger(number: number): number {
  const whole = Math.trunc(number);
  return whole >= LEAST_INTEGER && whole < -LEAST_INTEGER ? whole + 0 : LEAST_INTEGER;
}

/** The argument at a position, from 1 on, as a number. */
export function numberAt(values: readonly Value[], position: number): number {
  const number = toNumber(values[position - 1]);
  if (number === undefined) throw typeFailure(values, position, 'number');
  return number;
}

/** As an integer of 64 bits (luaL_checkinteger). */
export function integerAt(values: readonly Value[], position: number, absent?: number): number {
  if (absent !== undefined && values[position - 1] === undefined) return absent;
  return castInteger(numberAt(values, position));
}

/** As an integer of 32 bits (luaL_checkint). */
export function intAt(values: readonly Value[], position: number, absent?: number): number {
  return Number(BigInt.asIntN(32, BigInt(integerAt(values, position, absent))));
}

/** As a string; numbers become one. */
export function textAt(values: readonly Value[], position: number, absent?: string): string {
  const value = values[position - 1];
  if (absent !== undefined && value === undefined) return absent;
  if (typeof value === 'string' || typeof value === 'number') return textOf(value);
  throw typeFailure(values, position, 'string');
}

export function tableAt(values: readonly Value[], position: number): LuaTable {
  const value = values[position - 1];
  if (value instanceof LuaTable) return value;
  throw typeFailure(values, position, 'table');
}

/** There must be an argument, though it may be nil. */
export function requireAny(values: readonly Value[], position: number): void {
  if (values.length < position) throw argumentFailure(position, 'value expected');
}

/** A C string ends at its first zero byte. */
export function cString(text: string): string {
  const end = text.indexOf('\0');
  return end === -1 ? text : text.slice(0, end);
}
