import type { Bytes } from './reply.ts';

const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);
const UINT64_MAX = 2n ** 64n - 1n;

/** A signed 64-bit integer as Redis reads it: no sign but `-`, no zeros before, nothing around it. */
export function readInteger(text: Bytes): bigint | undefined {
  if (!/^(?:0|-?[1-9]\d{0,18})$/.test(text)) return undefined;
  const value = BigInt(text);
  return value < INT64_MIN || value > INT64_MAX ? undefined : value;
}

export function fitsInt64(value: bigint): boolean {
  return value >= INT64_MIN && value <= INT64_MAX;
}

/**
 * An unsigned 64-bit integer as `strtoull` of C reads it, up to a zero byte: blanks and a sign may go before, and a negative
 * number counts down from 2^64. Undefined when something follows, or when it is too large.
 */
export function readUnsigned(text: Bytes): bigint | undefined {
  const groups = /^[ \t\n\v\f\r]*(?<sign>[+-]?)(?<digits>\d+)$/.exec(asC(text))?.groups;
  if (groups === undefined) return undefined;
  const value = BigInt(groups['digits'] ?? '');
  if (value > UINT64_MAX) return undefined;
  return groups['sign'] === '-' ? BigInt.asUintN(64, -value) : value;
}

/** A text of C ends with a zero byte. */
export function asC(text: Bytes): Bytes {
  const end = text.indexOf('\0');
  return end === -1 ? text : text.slice(0, end);
}

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const HEXADECIMAL =
  /^(?<sign>[+-]?)0x(?:(?<whole>[\da-f]+)(?:\.(?<rest>[\da-f]*))?|\.(?<only>[\da-f]+))(?:p(?<power>[+-]?\d+))?$/i;
const INFINITE = /^(?<sign>[+-]?)inf(?:inity)?$/i;

/** A finite number as `strtod` of C reads it, or an infinite one that is written so; undefined for any other text. */
export function readDouble(text: Bytes): number | undefined {
  const value = readAnyDouble(text);
  return value === undefined || Number.isFinite(value) || INFINITE.test(text) ? value : undefined;
}

/** The same; a number that is too large is infinite. */
export function readAnyDouble(text: Bytes): number | undefined {
  if (DECIMAL.test(text)) return Number(text);
  const infinite = INFINITE.exec(text)?.groups;
  if (infinite !== undefined) return infinite['sign'] === '-' ? -Infinity : Infinity;
  const groups = HEXADECIMAL.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const { sign, whole = '', rest = '', only = '', power = '0' } = groups;
  const digits = whole + rest + only;
  const value = Number(BigInt(`0x${digits}`)) * 2 ** (Number(power) - 4 * (rest + only).length);
  return sign === '-' ? -value : value;
}

/** As `%.17g` of C prints it. */
export function printedDouble(value: number): Bytes {
  if (value === Infinity) return 'inf';
  if (value === -Infinity) return '-inf';
  if (Object.is(value, -0)) return '-0';
  const [digits = '', exponent = '0'] = roundedToEven(value).split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 17) return withoutZeros(plain(digits, power));
  const shown = Math.abs(power).toString().padStart(2, '0');
  return `${withoutZeros(digits)}e${power < 0 ? '-' : '+'}${shown}`;
}

/** Seventeen digits; JavaScript rounds ties away from zero, C to the even digit. */
function roundedToEven(value: number): string {
  const exact = value.toExponential(60);
  const [digits = '', exponent] = exact.split('e');
  const at = digits.indexOf('.') + 17;
  if (!/^50*$/.test(digits.slice(at)) || Number(digits[at - 1]) % 2 === 1) return value.toExponential(16);
  return `${digits.slice(0, at)}e${exponent}`;
}

function plain(digits: string, power: number): string {
  const sign = digits.startsWith('-') ? '-' : '';
  const bare = digits.replace(/[-.]/g, '');
  if (power < 0) return `${sign}0.${'0'.repeat(-power - 1)}${bare}`;
  return `${sign}${bare.slice(0, power + 1)}.${bare.slice(power + 1)}`;
}

function withoutZeros(digits: string): string {
  if (!digits.includes('.')) return digits;
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return digits.slice(0, digits[end - 1] === '.' ? end - 1 : end);
}
