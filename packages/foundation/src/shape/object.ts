import { defined } from '../json/defined.ts';
import { isRecord } from '../json/record.ts';
import { type Field, type JsonSchema, mustBe, ShapeError, type ShapeProblem } from './field.ts';

/** One member of an object that is read strictly. `D` says what it holds. */
export interface Member<D, R extends boolean = boolean> {
  readonly type: D;
  readonly help: string;
  readonly required: R;
}

/** A member that must be there. */
export function required<D>(type: D, help: string): Member<D, true> {
  return { type, help, required: true };
}

/** A member that may be absent. */
export function optional<D>(type: D, help: string): Member<D, false> {
  return { type, help, required: false };
}

/** The members of an object. */
export type Members<D> = Readonly<Record<string, Member<D>>>;

/** The reader of a member's value: a field, or a type of a configuration file. */
interface Reader<T> {
  read(...input: never[]): T;
}

type ValueOf<M> = M extends { readonly type: Reader<infer T> } ? T : never;

/** An object that was read: members that are not required may be absent. */
export type ObjectOf<M extends Members<unknown>> = {
  readonly [K in keyof M as M[K]['required'] extends true ? K : never]: ValueOf<M[K]>;
} & {
  readonly [K in keyof M as M[K]['required'] extends true ? never : K]?: ValueOf<M[K]>;
};

/** The source of an object's members. */
export interface MemberSource<D> {
  /** Names of all present members. */
  readonly names: Iterable<string>;
  has(name: string): boolean;
  read(name: string, type: D): unknown;
  /** The error of a member that is not known, or of one that is missing. */
  error(problem: ShapeProblem, name: string): Error;
}

/** Reads an object strictly: unknown members are refused, and missing ones that are required. */
export function readMembers<D, const M extends Members<D>>(members: M, source: MemberSource<D>): ObjectOf<M> {
  for (const name of source.names) {
    if (!Object.hasOwn(members, name)) throw source.error('unknown', name);
  }
  const result: Record<string, unknown> = {};
  for (const [name, { type, required }] of Object.entries(members)) {
    if (source.has(name)) result[name] = source.read(name, type);
    else if (required) throw source.error('missing', name);
  }
  return result as ObjectOf<M>; // the loop read every member with its own type and missed no required one
}

/** The JSON Schema of an object with those members, whose values have the schemas that `schemaOf` gives. */
export function membersSchema<D>(members: Members<D>, schemaOf: (type: D) => JsonSchema): JsonSchema {
  const entries = Object.entries(members);
  const names = entries.filter(([, { required }]) => required).map(([name]) => name);
  return defined({
    type: 'object',
    properties: Object.fromEntries(
      entries.map(([name, { type, help }]) => [name, { ...schemaOf(type), description: help }]),
    ),
    required: names.length === 0 ? undefined : names,
    additionalProperties: false,
  });
}

/** A JSON object that is read strictly. Its members are those of its shape and no other. */
export function object<const M extends Members<Field<unknown>>>(members: M): Field<ObjectOf<M>> {
  return {
    zero: () => ({}) as ObjectOf<M>, // an object without members
    read(value, path) {
      if (!isRecord(value)) throw mustBe('a JSON object', path, value);
      const where = (name: string): string => (path === '' ? name : `${path}.${name}`);
      return readMembers<Field<unknown>, M>(members, {
        names: Object.keys(value),
        has: name => Object.hasOwn(value, name),
        read: (name, field) => field.read(value[name], where(name)),
        error: (problem, name) => memberError(problem, where(name), Object.keys(members)),
      });
    },
    write: value =>
      Object.fromEntries(
        Object.entries(value).map(([name, member]) => [name, members[name]?.type.write(member)]),
      ),
    schema: use => membersSchema(members, field => field.schema(use)),
  };
}

function memberError(problem: ShapeProblem, path: string, names: readonly string[]): ShapeError {
  const expected = problem === 'missing' ? 'is required' : `does not exist; known: ${names.join(', ')}`;
  return new ShapeError({ problem, path, expected, known: names });
}
