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

/** {@link canonicalBytes} of at most `limit` bytes; undefined when they would be more, without building them. */
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
 */
export function firstInexactNumber(text: string): string | undefined {
  const tokens = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
  for (const [token] of text.matchAll(tokens)) {
    if (token.startsWith('"') || (token.length < 16 && !/[eE]/.test(token))) continue;
    if (!isHeld(token)) return token;
  }
  return undefined;
}

function isHeld(numeral: string): boolean {
  const value = Number(numeral);
  if (!Number.isFinite(value)) return false;
  // What is left has an exponent of a few digits; one of millions takes seconds to work out.
  if (value === 0) return /^[-0.]*(?:[eE]|$)/.test(numeral);
  return decimalOf(numeral) === decimalOf(String(value));
}

/** A numeral as digits and exponent without superfluous zeros, so that equal values give equal texts. */
function decimalOf(numeral: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(numeral);
  if (match === null) return numeral;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  const trimmed = digits.replace(/0+$/, '');
  if (trimmed === '') return '0';
  return `${sign}${trimmed}e${BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - trimmed.length)}`;
}
