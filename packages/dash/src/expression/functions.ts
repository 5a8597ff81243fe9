import { isJsonObject, type Json } from '../document/json.ts';
import { ExpressionError } from './failure.ts';
import { MAX_LENGTH, requireLength, type Steps, textSize } from './limits.ts';
import { textOf } from './text.ts';

type Builtin = (args: readonly Json[], steps: Steps) => Json;

const NUMERAL = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const TRUTH: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };
const MAX_DIGITS = 10;

/** The functions of the expression language (dashboard details 6.4); a wrong argument is an ExpressionError. */
export const FUNCTIONS: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ['string', unary(toText)],
  ['int', unary((value, steps) => Math.trunc(toNumber(value, steps)))],
  ['float', unary(toNumber)],
  ['bool', unary(toBoolean)],
  ['len', unary(lengthOf)],
  ['upper', changed(source => source.toUpperCase())],
  ['lower', changed(source => source.toLowerCase())],
  ['trim', changed(source => source.trim())],
  ['contains', two(contains)],
  ['startsWith', two((value, part, steps) => text(value, steps).startsWith(text(part, steps)))],
  ['endsWith', two((value, part, steps) => text(value, steps).endsWith(text(part, steps)))],
  ['replace', replace],
  ['split', two(split)],
  ['join', join],
  ['abs', unary(value => Math.abs(number(value)))],
  ['ceil', unary(value => Math.ceil(number(value)))],
  ['floor', unary(value => Math.floor(number(value)))],
  ['round', round],
  ['min', (args, steps) => Math.min(...amounts(args, steps))],
  ['max', (args, steps) => Math.max(...amounts(args, steps))],
  ['sum', (args, steps) => numbers(only(args), steps).reduce((total, item) => total + item, 0)],
  ['first', unary(value => list(value)[0] ?? null)],
  ['last', unary(value => list(value).at(-1) ?? null)],
  ['keys', keys],
]);

function unary(compute: (value: Json, steps: Steps) => Json): Builtin {
  return (args, steps) => compute(only(args), steps);
}

function two(compute: (left: Json, right: Json, steps: Steps) => Json): Builtin {
  return (args, steps) => {
    requireCount(args, 2);
    return compute(args[0] as Json, args[1] as Json, steps);
  };
}

function changed(change: (source: string) => string): Builtin {
  return unary((value, steps) => {
    const result = change(text(value, steps));
    requireLength(result.length);
    return result;
  });
}

function only(args: readonly Json[]): Json {
  requireCount(args, 1);
  return args[0] as Json;
}

function requireCount(args: readonly Json[], count: number): void {
  if (args.length !== count)
    throw new ExpressionError(`takes ${count} argument${count === 1 ? '' : 's'}, got ${args.length}`);
}

function text(value: Json, steps: Steps): string {
  if (typeof value !== 'string') throw new ExpressionError('needs text');
  steps.read(value.length);
  return value;
}

function number(value: Json): number {
  if (typeof value === 'number') return value;
  throw new ExpressionError('needs a number');
}

function list(value: Json): Json[] {
  if (Array.isArray(value)) return value;
  throw new ExpressionError('needs an array');
}

/** Non-empty literal text to look for. */
function separator(value: Json, steps: Steps): string {
  if (value !== '') return text(value, steps);
  throw new ExpressionError('needs text that is not empty');
}

function toText(value: Json, steps: Steps): string {
  if (typeof value === 'object' && value !== null) {
    steps.read(textSize(value));
    steps.take(Object.keys(value).length);
  }
  return textOf(value);
}

function toNumber(value: Json, steps: Steps): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'string' && NUMERAL.test(text(value, steps))) return Number(value);
  throw new ExpressionError('needs a number, a boolean or a decimal numeral');
}

function toBoolean(value: Json, steps: Steps): boolean {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return value !== 0;
  const word = typeof value === 'string' ? text(value, steps).toLowerCase() : '';
  const truth = Object.hasOwn(TRUTH, word) ? TRUTH[word] : undefined;
  if (truth === undefined) throw new ExpressionError('needs a boolean, a number or one of true, false, 1, 0');
  return truth;
}

function lengthOf(value: Json, steps: Steps): number {
  if (Array.isArray(value)) return value.length;
  if (isJsonObject(value)) {
    const { length } = Object.keys(value);
    steps.read(length);
    return length;
  }
  let count = 0;
  for (const _ of text(value, steps)) count++;
  return count;
}

function contains(value: Json, sought: Json, steps: Steps): boolean {
  const [source, part] = [text(value, steps), text(sought, steps)];
  steps.search(source, part);
  return source.includes(part);
}

function replace(args: readonly Json[], steps: Steps): string {
  requireCount(args, 3);
  const source = text(args[0] as Json, steps);
  const old = separator(args[1] as Json, steps);
  const by = text(args[2] as Json, steps);
  steps.search(source, old);
  const parts = source.split(old);
  requireLength(source.length + (parts.length - 1) * (by.length - old.length));
  return parts.join(by);
}

function split(value: Json, by: Json, steps: Steps): string[] {
  const [source, old] = [text(value, steps), separator(by, steps)];
  steps.search(source, old);
  const parts = source.split(old, MAX_LENGTH + 1);
  requireLength(parts.length);
  return parts;
}

function join(args: readonly Json[], steps: Steps): string {
  requireCount(args, 2);
  const [items, by] = [list(args[0] as Json), text(args[1] as Json, steps)];
  steps.take(items.length);
  let joined = '';
  for (const [index, item] of items.entries()) {
    joined += (index === 0 ? '' : by) + toText(item, steps);
    requireLength(joined.length);
  }
  return joined;
}

/** Halves away from zero, decided on the decimal digits and not on what multiplication makes of them. */
function round(args: readonly Json[]): number {
  const value = number(args[0] ?? null);
  const digits = args.length === 1 ? 0 : number(args[1] ?? null);
  if (args.length > 2) throw new ExpressionError(`takes 1 or 2 arguments, got ${args.length}`);
  if (!Number.isInteger(digits) || digits < 0 || digits > MAX_DIGITS)
    throw new ExpressionError('digits must be 0 to 10');
  const rounded = shifted(Math.round(shifted(Math.abs(value), digits)), -digits);
  return Number.isFinite(rounded) ? Math.sign(value) * rounded : value;
}

function shifted(value: number, places: number): number {
  const [mantissa, exponent = '0'] = String(value).split('e');
  return Number(`${mantissa}e${Number(exponent) + places}`);
}

function amounts(args: readonly Json[], steps: Steps): number[] {
  const items = args.length === 1 ? list(args[0] as Json) : args;
  if (items.length === 0) throw new ExpressionError('needs at least one number');
  return numbers([...items], steps);
}

function numbers(value: Json, steps: Steps): number[] {
  const items = list(value);
  steps.take(items.length);
  return items.map(number);
}

function keys(args: readonly Json[], steps: Steps): string[] {
  const object = only(args);
  if (!isJsonObject(object)) throw new ExpressionError('needs an object');
  const names = Object.keys(object).sort();
  steps.take(names.length);
  return names;
}
