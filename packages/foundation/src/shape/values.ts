import { isRecord } from '../json/record.ts';
import { type Field, type JsonSchema, mustBe } from './field.ts';

/** A text; zero: empty. */
export const text: Field<string> = {
  zero: () => '',
  read(value, path) {
    if (typeof value !== 'string') throw mustBe('a string', path, value);
    return value;
  },
  write: value => value,
  schema: () => ({ type: 'string' }),
};

/** A text with a further condition, which `expected` names: "a non-empty text". */
export function textThat(
  expected: string,
  holds: (text: string) => boolean,
  schema: JsonSchema,
): Field<string> {
  return {
    ...text,
    read(value, path) {
      if (typeof value !== 'string' || !holds(value)) throw mustBe(expected, path, value);
      return value;
    },
    schema: () => ({ type: 'string', ...schema }),
  };
}

/** `true` or `false`; zero: `false`. */
export const flag: Field<boolean> = {
  zero: () => false,
  read(value, path) {
    if (typeof value !== 'boolean') throw mustBe('a boolean', path, value);
    return value;
  },
  write: value => value,
  schema: () => ({ type: 'boolean' }),
};

/** A whole number, also as a text of digits. */
function integer(minimum: number, maximum: number): Field<number> {
  return {
    zero: () => 0,
    read(value, path) {
      const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
      if (typeof number !== 'number' || !Number.isInteger(number) || number < minimum || number > maximum) {
        throw mustBe('an integer', path, value);
      }
      return number;
    },
    write: value => value,
    schema: () => ({ type: 'integer', minimum, maximum }),
  };
}

/** A whole number of 32 bits; zero: 0. */
export const int32: Field<number> = integer(-(2 ** 31), 2 ** 31 - 1);
/** 64-bit integers are exact up to 2^53 − 1; larger ones are refused rather than rounded. */
export const int64: Field<number> = integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
/** A whole number from 0 that a double holds exactly; zero: 0. */
export const uint64: Field<number> = integer(0, Number.MAX_SAFE_INTEGER);

/** A finite number; zero: 0. */
export const decimal: Field<number> = {
  zero: () => 0,
  read(value, path) {
    if (typeof value !== 'number' || !Number.isFinite(value)) throw mustBe('a number', path, value);
    return value;
  },
  write: value => value,
  schema: () => ({ type: 'number' }),
};

const NOTHING: ReadonlyMap<string, never> = new Map<string, never>();

/** A JSON object from strings to values of one type. */
export function mapOf<T>(item: Field<T>): Field<ReadonlyMap<string, T>> {
  return {
    zero: () => NOTHING,
    read(value, path) {
      if (!isRecord(value)) throw mustBe('an object', path, value);
      const entries = Object.entries(value);
      if (entries.length === 0) return NOTHING;
      return new Map(entries.map(([key, member]) => [key, item.read(member, `${path}.${key}`)]));
    },
    write: value => Object.fromEntries([...value].map(([key, member]) => [key, item.write(member)])),
    schema: use => ({ type: 'object', additionalProperties: item.schema(use) }),
  };
}

/** A JSON object from strings to strings. */
export const textMap: Field<ReadonlyMap<string, string>> = {
  ...mapOf(text),
  write: value => Object.fromEntries(value),
};

/** A scalar that is not written when it is zero: an older reader may not know the member. */
export function unlessZero<T extends string | number | boolean>(field: Field<T>): Field<T> {
  return { ...field, write: value => (value === field.zero() ? undefined : field.write(value)) };
}

/** Any JSON value, as it is; `null` when absent. */
export const anyJson: Field<unknown> = {
  zero: () => null,
  read: value => value,
  write: value => value,
  schema: () => ({}),
};

/** A list of one type; absent means empty, and an element that is `null` is a zero value. */
export function list<T>(item: Field<T>): Field<readonly T[]> {
  return {
    zero: () => [],
    read(value, path, unknown) {
      if (!Array.isArray(value)) throw mustBe('an array', path, value);
      return value.map((element: unknown, index) =>
        element === null ? item.zero() : item.read(element, `${path}[${index}]`, unknown),
      );
    },
    write: value => value.map(element => item.write(element)),
    schema: use => ({ type: 'array', items: item.schema(use) }),
  };
}

/** A field that may be absent: `null` in JSON. */
export function nullable<T>(item: Field<T>): Field<T | null> {
  return {
    zero: () => null,
    read: (value, path, unknown) => (value === null ? null : item.read(value, path, unknown)),
    write: value => (value === null ? null : item.write(value)),
    schema: use => ({ anyOf: [item.schema(use), { type: 'null' }] }),
  };
}
