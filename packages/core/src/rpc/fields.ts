import { isRecord } from '@msg/foundation/json';
import { MalformedRequest } from './twirp.ts';

/**
 * One field type of an RPC message: how it is read from JSON (tolerantly), written to JSON, and what it is when
 * absent. `path` names the field in messages. Source: messaging details 1.1 and 1.2.
 */
export interface Field<T> {
  /** What it looks like, for the reference page; absent: any JSON. */
  readonly form?: FieldForm;
  zero(): T;
  /**
   * Collects into `unknown` the members that no message knows.
   * @throws MalformedRequest when the JSON value is of another type. Never called with `null`.
   */
  read(value: unknown, path: string, unknown?: UnknownMember[]): T;
  write(value: T): unknown;
}

/** A member of a JSON object that its message does not know. */
export interface UnknownMember {
  /** `scopes[0].verb` */
  readonly path: string;
  /** Members that the message knows, in lowerCamelCase. */
  readonly known: readonly string[];
}

/** The form of a field: the name of a simple type, what a list or an optional field holds, the members of a message. */
export type FieldForm =
  | string
  | { readonly list: Field<unknown> }
  | { readonly optional: Field<unknown> }
  | { readonly members: Shape };

/** Field definitions of a message, by snake_case name. */
export type Shape = Readonly<Record<string, Field<unknown>>>;

/** The TypeScript form of a message with those fields: all present, snake_case. */
export type Message<S extends Shape> = {
  readonly [K in keyof S]: S[K] extends Field<infer T> ? T : never;
};

/** The TypeScript type of a field. */
export type Infer<F> = F extends Field<infer T> ? T : never;

export const str: Field<string> = {
  form: 'string',
  zero: () => '',
  read(value, path) {
    if (typeof value !== 'string') throw new MalformedRequest(`${path} must be a string`);
    return value;
  },
  write: value => value,
};

export const bool: Field<boolean> = {
  form: 'boolean',
  zero: () => false,
  read(value, path) {
    if (typeof value !== 'boolean') throw new MalformedRequest(`${path} must be a boolean`);
    return value;
  },
  write: value => value,
};

function integer(lowest: number, highest: number): Field<number> {
  return {
    form: 'integer',
    zero: () => 0,
    read(value, path) {
      const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
      if (typeof number !== 'number' || !Number.isInteger(number) || number < lowest || number > highest) {
        throw new MalformedRequest(`${path} must be an integer`);
      }
      return number;
    },
    write: value => value,
  };
}

export const i32: Field<number> = integer(-(2 ** 31), 2 ** 31 - 1);
/** 64-bit integers are exact up to 2^53 − 1; larger ones are refused rather than rounded. */
export const i64: Field<number> = integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
export const u64: Field<number> = integer(0, Number.MAX_SAFE_INTEGER);

const NOTHING: ReadonlyMap<string, string> = new Map();

/** A JSON object from strings to strings. */
export const stringMap: Field<ReadonlyMap<string, string>> = {
  form: 'object of strings',
  zero: () => NOTHING,
  read(value, path) {
    if (!isRecord(value)) throw new MalformedRequest(`${path} must be an object`);
    const entries = Object.entries(value);
    if (entries.length === 0) return NOTHING;
    return new Map(entries.map(([key, item]) => [key, str.read(item, `${path}.${key}`)]));
  },
  write: value => Object.fromEntries(value),
};

/** Any JSON value, as it is; `null` when absent. */
export const json: Field<unknown> = {
  zero: () => null,
  read: value => value,
  write: value => value,
};

/** A list of one type; absent means empty. */
export function list<T>(item: Field<T>): Field<readonly T[]> {
  return {
    form: { list: item },
    zero: () => [],
    read(value, path, unknown) {
      if (!Array.isArray(value)) throw new MalformedRequest(`${path} must be an array`);
      return value.map((element: unknown, index) =>
        element === null ? item.zero() : item.read(element, `${path}[${index}]`, unknown),
      );
    },
    write: value => value.map(element => item.write(element)),
  };
}

/** A message field that may be absent: `null` on the wire. */
export function optional<T>(item: Field<T>): Field<T | null> {
  return {
    form: { optional: item },
    zero: () => null,
    read: (value, path, unknown) => item.read(value, path, unknown),
    write: value => (value === null ? null : item.write(value)),
  };
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}

function givenTwice(where: string, spellings: readonly string[], value: object): MalformedRequest {
  const present = spellings.filter(spelling => Object.hasOwn(value, spelling));
  return new MalformedRequest(`${where} is given twice: ${present.join(', ')}`);
}

/**
 * A message. Reading accepts snake_case and lowerCamelCase and the given aliases, collects unknown members and
 * takes `null` as absent; two spellings of one field are refused. Writing emits every field, snake_case only.
 */
export function message<const S extends Shape>(
  shape: S,
  aliases: Readonly<Record<string, readonly string[]>> = {},
): Field<Message<S>> {
  const fields = Object.entries(shape).map(([name, field]) => ({
    name,
    field,
    spellings: [...new Set([name, camelCase(name), ...(aliases[name] ?? [])])],
  }));
  const spelled = new Set(fields.flatMap(({ spellings }) => spellings));
  const known = Object.keys(shape).map(camelCase);
  return {
    form: { members: shape },
    zero() {
      // The loop fills exactly the members of the shape.
      return Object.fromEntries(fields.map(({ name, field }) => [name, field.zero()])) as Message<S>;
    },
    read(value, path, unknown) {
      if (!isRecord(value)) throw new MalformedRequest(path === '' ? '' : `${path} must be an object`);
      let members = 0;
      for (const _ in value) members++;
      const outer = unknown?.length ?? 0;
      const result: Record<string, unknown> = {};
      for (const { name, field, spellings } of fields) {
        const where = path === '' ? name : `${path}.${name}`;
        let input: unknown = null;
        for (const spelling of spellings) {
          const member = value[spelling]; // no field is called like a member of Object.prototype
          if (member === undefined) continue;
          members--;
          if (member === null) continue;
          if (input !== null) throw givenTwice(where, spellings, value);
          input = member;
        }
        result[name] = input === null ? field.zero() : field.read(input, where, unknown);
      }
      // Most messages have known members alone: their names need not be looked up again.
      if (members > 0 && unknown !== undefined) {
        const own = Object.keys(value).filter(member => !spelled.has(member));
        const paths = own.map(member => (path === '' ? member : `${path}.${member}`));
        unknown.splice(outer, 0, ...paths.map(member => ({ path: member, known })));
      }
      return result as Message<S>; // as in zero(): the loop filled every member with its field's type
    },
    write(value) {
      const result: Record<string, unknown> = {};
      for (const { name, field } of fields) {
        const member: unknown = value[name];
        result[name] = field.write(member === undefined ? field.zero() : member);
      }
      return result;
    },
  };
}
