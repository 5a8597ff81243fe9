import { exponential, fixed, general } from '../digits.ts';
import { argumentFailure, libraryFailure } from '../failure.ts';
import { specialText } from '../numbers.ts';
import type { Value } from '../value.ts';
import { castInteger, cString, numberAt, textAt } from './arguments.ts';

interface Item {
  readonly flags: string;
  readonly width: number;
  readonly precision: number | undefined;
  readonly letter: string;
}

const MAX_FLAGS = 5;

/** `string.format` (lstrlib.c), whose numbers are those of `printf`. */
export function format(values: readonly Value[]): string {
  const template = textAt(values, 1);
  let text = '';
  let position = 1;
  for (let at = 0; at < template.length; at++) {
    if (template[at] !== '%') {
      text += template[at];
      continue;
    }
    at++;
    if (template[at] === '%') {
      text += '%';
      continue;
    }
    position++;
    if (position > values.length) throw argumentFailure(position, 'no value');
    const [item, end] = scanItem(template, at);
    at = end;
    text += written(item, values, position);
  }
  return text;
}

function scanItem(template: string, start: number): readonly [Item, number] {
  let at = start;
  while (at < template.length && '-+ #0'.includes(template[at] as string)) at++;
  const flags = template.slice(start, at);
  if (flags.length > MAX_FLAGS) throw libraryFailure('invalid format (repeated flags)');
  const width = digitsAt(template, at);
  at += width.length;
  let precision: string | undefined;
  if (template[at] === '.') {
    precision = digitsAt(template, at + 1);
    at += 1 + precision.length;
  }
  if (isDigit(template[at])) throw libraryFailure('invalid format (width or precision too long)');
  const item = {
    flags,
    width: Number(width),
    precision: precision === undefined ? undefined : Number(precision),
  };
  return [{ ...item, letter: template[at] ?? '\0' }, at];
}

function isDigit(letter: string | undefined): boolean {
  return letter !== undefined && letter >= '0' && letter <= '9';
}

/** At most two digits. */
function digitsAt(template: string, at: number): string {
  if (!isDigit(template[at])) return '';
  return template.slice(at, at + (isDigit(template[at + 1]) ? 2 : 1));
}

function written(item: Item, values: readonly Value[], position: number): string {
  switch (item.letter) {
    case 'c': {
      const number = Math.trunc(numberAt(values, position));
      // Beyond 32 bits the cast of C leaves no low bits.
      const byte = Math.abs(number) < 2 ** 31 ? number & 0xff : 0;
      return cString(padded(item, '', String.fromCharCode(byte), false));
    }
    case 'd':
    case 'i':
      return integer(item, BigInt(castInteger(numberAt(values, position))));
    case 'o':
    case 'u':
    case 'x':
    case 'X':
      return unsigned(item, castUnsigned(numberAt(values, position)));
    case 'e':
    case 'E':
    case 'f':
    case 'g':
    case 'G':
      return floating(item, numberAt(values, position));
    case 'q':
      return quoted(textAt(values, position));
    case 's':
      return string(item, textAt(values, position));
    default:
      throw libraryFailure(`invalid option '%${cString(item.letter)}' to 'format'`);
  }
}

/** A double as an unsigned number of 64 bits, as x86 casts it. */
function castUnsigned(number: number): bigint {
  const whole = Math.trunc(number);
  if (whole >= 2 ** 63 && whole < 2 ** 64) return BigInt(whole);
  // What is at least 2^64 becomes 0, since 2^63 is taken off first.
  if (whole >= 2 ** 64) return 0n;
  return BigInt.asUintN(64, BigInt(castInteger(number)));
}

function integer(item: Item, number: bigint): string {
  const digits = withPrecision(item, (number < 0n ? -number : number).toString());
  return padded(item, signOf(item, number < 0n), digits, item.precision === undefined);
}

function unsigned(item: Item, number: bigint): string {
  const base = item.letter === 'o' ? 8 : item.letter === 'u' ? 10 : 16;
  let digits = withPrecision(item, number.toString(base));
  let prefix = '';
  if (item.flags.includes('#')) {
    if (base === 8 && !digits.startsWith('0')) digits = `0${digits}`;
    if (base === 16 && number !== 0n) prefix = '0x';
  }
  const text = padded(item, prefix, digits, item.precision === undefined);
  return item.letter === 'X' ? text.toUpperCase() : text;
}

/** At least so many digits; zero has none where none are asked for. */
function withPrecision(item: Item, digits: string): string {
  if (item.precision === 0 && digits === '0') return '';
  return digits.padStart(item.precision ?? 1, '0');
}

function floating(item: Item, number: number): string {
  const isUpper = item.letter === 'E' || item.letter === 'G';
  const special = specialText(number);
  const isNegative = special === undefined ? number < 0 || Object.is(number, -0) : special.startsWith('-');
  const digits = special === undefined ? floatingDigits(item, Math.abs(number)) : special.replace('-', '');
  const text = padded(item, signOf(item, isNegative), digits, special === undefined);
  return isUpper ? text.toUpperCase() : text;
}

function floatingDigits(item: Item, number: number): string {
  const precision = item.precision ?? 6;
  const isAlternative = item.flags.includes('#');
  if (item.letter === 'g' || item.letter === 'G') return general(number, precision, isAlternative);
  if (item.letter === 'f') return fixed(number, precision) + (isAlternative && precision === 0 ? '.' : '');
  const text = exponential(number, precision);
  return isAlternative && precision === 0 ? text.replace('e', '.e') : text;
}

function signOf({ flags }: Item, isNegative: boolean): string {
  if (isNegative) return '-';
  if (flags.includes('+')) return '+';
  return flags.includes(' ') ? ' ' : '';
}

function padded({ flags, width }: Item, prefix: string, digits: string, canHaveZeros: boolean): string {
  if (flags.includes('-')) return (prefix + digits).padEnd(width, ' ');
  if (flags.includes('0') && canHaveZeros) return prefix + digits.padStart(width - prefix.length, '0');
  return (prefix + digits).padStart(width, ' ');
}

function string(item: Item, value: string): string {
  // Long strings without a precision stay whole, zero bytes included.
  if (item.precision === undefined && value.length >= 100) return value;
  return padded(item, '', cString(value).slice(0, item.precision), false);
}

function quoted(value: string): string {
  let text = '"';
  for (const byte of value) {
    if (byte === '"' || byte === '\\' || byte === '\n') text += `\\${byte}`;
    else if (byte === '\r') text += '\\r';
    else text += byte === '\0' ? '\\000' : byte;
  }
  return `${text}"`;
}
