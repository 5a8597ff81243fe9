import type { Json } from './json.ts';
import { indentedSize } from './size.ts';

/**
 * Text of a stored document (dashboard details 11.6): two-space indent, `\n` line ends, one trailing newline, no
 * escaping beyond what JSON requires, members in the order in which they are stored.
 */
export function canonicalText(value: Json): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** UTF-8 bytes of {@link canonicalText}; no byte order mark. */
export function canonicalBytes(value: Json): Uint8Array {
  return new TextEncoder().encode(canonicalText(value));
}

/** {@link canonicalBytes} up to `limit` bytes; undefined, without building them, for more. */
export function canonicalBytesWithin(limit: number, value: Json): Uint8Array | undefined {
  return indentedSize(value, limit) < limit ? canonicalBytes(value) : undefined;
}

/** Equality as JSON data: member order does not count, and numbers compare as doubles. */
export function jsonEqual(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => jsonEqual(item, right[index]));
  }
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every(key => Object.hasOwn(right, key) && jsonEqual(left[key], right[key]));
}

/**
 * The first number of a JSON text that a double cannot hold as written, such as `9007199254740993` or `1e400`;
 * undefined when rewriting the text keeps every number (dashboard details 11.6). `1.0` and `1e2` are held.
 * @param text JSON that was parsed before.
 */
export function firstInexactNumber(text: string): string | undefined {
  for (let at = 0; at < text.length; ) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = afterString(text, at);
    else if (unit === MINUS || isDigit(unit)) {
      const end = afterNumber(text, at);
      if (!isHeld(text.slice(at, end))) return text.slice(at, end);
      at = end;
    } else at++;
  }
  return undefined;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const PLUS = 0x2b;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const EXPONENT = 0x65;
/** Sets the bit that tells `E` from `e`. */
const LOWER_CASE = 0x20;

function isDigit(unit: number): boolean {
  return unit >= ZERO && unit <= NINE;
}

function afterString(text: string, quote: number): number {
  let at = quote + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at + 1;
}

function afterNumber(text: string, from: number): number {
  let at = from + 1;
  for (; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const inside =
      isDigit(unit) || unit === PLUS || unit === MINUS || unit === POINT || (unit | LOWER_CASE) === EXPONENT;
    if (!inside) break;
  }
  return at;
}

/** A numeral of at most this length without an exponent is always exact. */
const SURELY_HELD = 15;

function isHeld(numeral: string): boolean {
  const { digits, exponent } = readDecimal(numeral);
  if (numeral.length <= SURELY_HELD && exponent === undefined) return true;
  const value = Number(numeral);
  if (!Number.isFinite(value)) return false;
  // The remaining numerals have exponents of a few digits; millions would take seconds to compute.
  if (value === 0) return digits === '';
  return decimalOf(numeral) === decimalOf(String(value));
}

/** A numeral as digits and exponent without superfluous zeros, so that equal values give equal texts. */
function decimalOf(numeral: string): string {
  const { sign, digits, places, exponent = '0' } = readDecimal(numeral);
  if (digits === '') return '0';
  const significant = withoutTrailingZeros(digits);
  return `${sign}${significant}e${BigInt(exponent) - BigInt(places) + BigInt(digits.length - significant.length)}`;
}

interface Decimal {
  readonly sign: string;
  /** All digits without leading zeros; empty for a zero. */
  readonly digits: string;
  /** Number of digits behind the point. */
  readonly places: number;
  readonly exponent: string | undefined;
}

/** The parts of a JSON number. */
function readDecimal(numeral: string): Decimal {
  const sign = numeral.startsWith('-') ? '-' : '';
  const [mantissa = '', exponent] = numeral.slice(sign.length).toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { sign, digits: withoutLeadingZeros(whole + fraction), places: fraction.length, exponent };
}

/** Scans from the end, because a pattern would retry a run of zeros at each position. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === ZERO) end--;
  return digits.slice(0, end);
}

function withoutLeadingZeros(digits: string): string {
  let from = 0;
  while (digits.charCodeAt(from) === ZERO) from++;
  return digits.slice(from);
}
