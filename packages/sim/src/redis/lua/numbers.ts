import { general } from './digits.ts';
import type { Value } from './value.ts';

/** A number as `tostring`, `..` and `cjson` write it: `%.14g`. */
export function numberText(number: number): string {
  return shortText(number, 14, 1e14);
}

/** A number as an argument of a command: `%.17g`. */
export function argumentText(number: number): string {
  return shortText(number, 17, 2 ** 53);
}

/** Infinity and NaN as C writes them; undefined for any other. The sign of NaN is that of nearly every NaN on x86: minus. */
export function specialText(number: number): string | undefined {
  if (Number.isNaN(number)) return '-nan';
  if (number === Number.POSITIVE_INFINITY) return 'inf';
  return number === Number.NEGATIVE_INFINITY ? '-inf' : undefined;
}

function shortText(number: number, precision: number, limit: number): string {
  if (Number.isInteger(number) && number < limit && number > -limit)
    return number === 0 && Object.is(number, -0) ? '-0' : String(number);
  const special = specialText(number);
  if (special !== undefined) return special;
  return (number < 0 ? '-' : '') + general(Math.abs(number), precision);
}

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?/i;
const HEXADECIMAL = /^([+-]?)0x([\da-f]*)(?:\.([\da-f]*))?/i;
const BINARY_EXPONENT = /^p([+-]?\d+)/i;
const NAMED = /^([+-]?)(?:(inf(?:inity)?)|nan(?:\(\w*\))?)/i;
const BLANK = /^[ \t\n\v\f\r]*/;

/** The number that a text is, as `strtod` reads it with blanks on both sides; undefined when it is not a number. */
function numberOf(text: string): number | undefined {
  // Of a C string nothing counts after the first zero byte.
  const end = text.indexOf('\0');
  const body = (end === -1 ? text : text.slice(0, end)).replace(BLANK, '');
  const [number, length] = startOf(body);
  if (length === 0) return undefined;
  const rest = body.slice(length);
  return rest.replace(BLANK, '') === '' ? number : undefined;
}

/** A number, or a text that is one; undefined for any other value. */
export function toNumber(value: Value): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? numberOf(value) : undefined;
}

/** Reads the number that a text starts with. Its length is 0 if the text starts with something else. */
export function startOf(text: string): readonly [number, number] {
  const hexadecimal = HEXADECIMAL.exec(text);
  if (hexadecimal !== null && (hexadecimal[2] ?? '') + (hexadecimal[3] ?? '') !== '')
    return hexadecimalStart(text, hexadecimal);
  const decimal = DECIMAL.exec(text);
  if (decimal !== null) return [Number(decimal[0]), decimal[0].length];
  const named = NAMED.exec(text);
  if (named === null) return [0, 0];
  const size = named[2] === undefined ? Number.NaN : Number.POSITIVE_INFINITY;
  return [named[1] === '-' ? -size : size, named[0].length];
}

function hexadecimalStart(text: string, match: RegExpExecArray): readonly [number, number] {
  const whole = match[2] ?? '';
  const fraction = match[3] ?? '';
  const exponent = BINARY_EXPONENT.exec(text.slice(match[0].length));
  const power = Number(exponent?.[1] ?? 0) - 4 * fraction.length;
  const size = scaled(BigInt(`0x0${whole}${fraction}`), power);
  return [match[1] === '-' ? -size : size, match[0].length + (exponent?.[0].length ?? 0)];
}

/** A whole number times a power of two, rounded once, ties to even. */
function scaled(whole: bigint, power: number): number {
  if (whole === 0n) return 0;
  const bits = whole.toString(2).length;
  const top = bits + power;
  if (top > 1024) return Number.POSITIVE_INFINITY;
  if (top < -1080) return 0;
  // Below the normal numbers fewer bits remain.
  const width = Math.min(53, top + 1074);
  const dropped = bits - width;
  if (dropped <= 0) return timesPowerOfTwo(Number(whole), power);
  const unit = 1n << BigInt(dropped);
  const rest = whole % unit;
  let head = whole / unit;
  if (rest * 2n > unit || (rest * 2n === unit && head % 2n === 1n)) head++;
  return timesPowerOfTwo(Number(head), power + dropped);
}

/** Exact: the factors are powers of two, taken in steps that stay within the range. */
function timesPowerOfTwo(number: number, power: number): number {
  let result = number;
  let rest = power;
  while (rest > 1000) {
    result *= 2 ** 1000;
    rest -= 1000;
  }
  while (rest < -1000) {
    result *= 2 ** -1000;
    rest += 1000;
  }
  return result * 2 ** rest;
}
