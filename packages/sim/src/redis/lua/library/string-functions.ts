import { argumentFailure, FROM_LIBRARY, libraryFailure, NotTranslated, running } from '../failure.ts';
import { callFromLibrary, textOf } from '../operators.ts';
import {
  type LuaFunction,
  LuaTable,
  NOTHING,
  type Results,
  resultsOf,
  typeName,
  type Value,
} from '../value.ts';
import { cString, intAt, integerAt, textAt } from './arguments.ts';
import { format } from './format.ts';
import { Matcher } from './pattern.ts';

const SPECIAL = /[\^$*+?.([%-]/;
/** More bytes than any script has a use for. */
const MAX_BYTES = 2 ** 28;

/** A position counted from the end when it is below zero. */
function fromEnd(position: number, length: number): number {
  return Math.max(position < 0 ? position + length + 1 : position, 0);
}

function part(values: readonly Value[]): string {
  const text = textAt(values, 1);
  const start = Math.max(fromEnd(integerAt(values, 2), text.length), 1);
  const end = Math.min(fromEnd(integerAt(values, 3, -1), text.length), text.length);
  return start <= end ? text.slice(start - 1, end) : '';
}

function bytes(values: readonly Value[]): Results {
  const text = textAt(values, 1);
  const from = fromEnd(integerAt(values, 2, 1), text.length);
  const to = fromEnd(integerAt(values, 3, from), text.length);
  const codes: number[] = [];
  for (let index = Math.max(from, 1); index <= Math.min(to, text.length); index++)
    codes.push(text.charCodeAt(index - 1));
  if (codes.length >= 8000) throw libraryFailure('string slice too long');
  return resultsOf(codes);
}

function characters(values: readonly Value[]): string {
  let text = '';
  for (let position = 1; position <= values.length; position++) {
    const code = intAt(values, position);
    if (code < 0 || code > 255) throw argumentFailure(position, 'invalid value');
    text += String.fromCharCode(code);
  }
  return text;
}

function repeated(values: readonly Value[]): string {
  const text = textAt(values, 1);
  const count = Math.max(intAt(values, 2), 0);
  if (text.length * count > MAX_BYTES) throw new NotTranslated('a string of more than 256 MiB');
  return text.repeat(count);
}

function find(values: readonly Value[], isFind: boolean): Results {
  const subject = textAt(values, 1);
  const pattern = textAt(values, 2);
  const start = Math.min(Math.max(fromEnd(integerAt(values, 3, 1), subject.length) - 1, 0), subject.length);
  const isPlain = values[3] !== undefined && values[3] !== false;
  if (isFind && (isPlain || !SPECIAL.test(cString(pattern)))) {
    const at = subject.indexOf(pattern, start);
    return at === -1 ? undefined : [at + 1, at + pattern.length];
  }
  const matcher = new Matcher(subject, pattern, true);
  for (let at = start; at <= subject.length; at++) {
    const end = matcher.matchAt(at);
    if (end !== undefined) {
      if (!isFind) return resultsOf(matcher.captures(at, end, true));
      return [at + 1, end, ...matcher.captures(at, end, false)];
    }
    if (matcher.isAnchored) break;
  }
  return undefined;
}

function matches(values: readonly Value[]): LuaFunction {
  const subject = textAt(values, 1);
  const matcher = new Matcher(subject, textAt(values, 2), false);
  let position = 0;
  return () => {
    for (let at = position; at <= subject.length; at++) {
      const end = matcher.matchAt(at);
      if (end === undefined) continue;
      position = end === at ? end + 1 : end;
      return resultsOf(matcher.captures(at, end, true));
    }
    return NOTHING;
  };
}

function substitute(values: readonly Value[]): Results {
  const subject = textAt(values, 1);
  const pattern = textAt(values, 2);
  const [, , replacement] = values;
  const most = intAt(values, 4, subject.length + 1);
  if (!['number', 'string', 'function', 'table'].includes(typeName(replacement)))
    throw argumentFailure(3, 'string/function/table expected');
  const matcher = new Matcher(subject, pattern, true);
  let text = '';
  let count = 0;
  let at = 0;
  while (count < most) {
    const end = matcher.matchAt(at);
    if (end !== undefined) {
      count++;
      text += replaced(matcher, at, end, replacement);
    }
    if (end !== undefined && end > at) at = end;
    else if (at < subject.length) {
      text += subject[at];
      at++;
    } else break;
    if (matcher.isAnchored) break;
  }
  return [text + subject.slice(at), count];
}

function replaced(matcher: Matcher, start: number, end: number, replacement: Value): string {
  if (typeof replacement === 'string' || typeof replacement === 'number')
    return expanded(matcher, start, end, textOf(replacement));
  const { site } = running;
  let value: Value;
  if (replacement instanceof LuaTable) value = replacement.get(matcher.capture(0, start, end));
  else {
    const captures = matcher.captures(start, end, true);
    running.site = FROM_LIBRARY;
    [value] = callFromLibrary(replacement, FROM_LIBRARY, ...captures);
    running.site = site;
  }
  if (value === undefined || value === false) return matcher.subject.slice(start, end);
  if (typeof value === 'string' || typeof value === 'number') return textOf(value);
  throw libraryFailure(`invalid replacement value (a ${typeName(value)})`);
}

/** A replacement with `%0` to `%9` for captures; `%` takes the special meaning from any other byte. */
function expanded(matcher: Matcher, start: number, end: number, replacement: string): string {
  let text = '';
  for (let index = 0; index < replacement.length; index++) {
    const byte = replacement[index] as string;
    if (byte !== '%') {
      text += byte;
      continue;
    }
    index++;
    const letter = replacement[index] ?? '\0';
    if (letter < '0' || letter > '9') text += letter;
    else if (letter === '0') text += matcher.subject.slice(start, end);
    else text += textOf(matcher.capture(Number(letter) - 1, start, end));
  }
  return text;
}

/** Letters of the C locale alone. */
function cased(text: string, from: RegExp, by: number): string {
  return text.replace(from, letter => String.fromCharCode(letter.charCodeAt(0) + by));
}

/** The table `string`. */
export const STRING: Readonly<Record<string, LuaFunction>> = {
  byte: (...values) => bytes(values),
  char: (...values) => characters(values),
  find: (...values) => find(values, true),
  format: (...values) => format(values),
  gmatch: (...values) => matches(values),
  gsub: (...values) => substitute(values),
  len: (...values) => textAt(values, 1).length,
  lower: (...values) => cased(textAt(values, 1), /[A-Z]/g, 32),
  match: (...values) => find(values, false),
  rep: (...values) => repeated(values),
  reverse: (...values) => [...textAt(values, 1)].reverse().join(''),
  sub: (...values) => part(values),
  upper: (...values) => cased(textAt(values, 1), /[a-z]/g, -32),
};
