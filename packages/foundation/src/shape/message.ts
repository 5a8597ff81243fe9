import { defined } from '../json/defined.ts';
import { isRecord } from '../json/record.ts';
import { type Field, mustBe, ShapeError, type UnknownMember } from './field.ts';

/** Fields of a message, by snake_case name. */
export type Shape = Readonly<Record<string, Field<unknown>>>;

/** The TypeScript form of a message with those fields: all present, snake_case. */
export type Message<S extends Shape> = {
  readonly [K in keyof S]: S[K] extends Field<infer T> ? T : never;
};

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}

function memberPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function isAbsent(member: unknown): boolean {
  return member === undefined || member === null;
}

/** A field of a message and its spellings. */
interface SpelledField {
  /** Its name in the result. */
  readonly name: string;
  readonly field: Field<unknown>;
  /** All spellings; absent when there is one. */
  readonly spellings: readonly string[] | undefined;
}

/** The fields of a message by every spelling. */
function fieldsBySpelling(
  shape: Shape,
  aliases: Readonly<Record<string, readonly string[]>>,
): ReadonlyMap<string, SpelledField> {
  const spelled = Object.entries(shape).flatMap(([name, field]) => {
    const spellings = [...new Set([name, camelCase(name), ...(aliases[name] ?? [])])];
    const entry = { name, field, spellings: spellings.length === 1 ? undefined : spellings };
    return spellings.map(spelling => [spelling, entry] as const);
  });
  return new Map(spelled);
}

/** @throws ShapeError when a member is there under two spellings. */
function requireOnce(
  value: Readonly<Record<string, unknown>>,
  path: string,
  { name, spellings = [] }: SpelledField,
): void {
  let count = 0;
  for (const spelling of spellings) if (!isAbsent(value[spelling])) count++;
  if (count < 2) return;
  const there = spellings.filter(spelling => Object.hasOwn(value, spelling));
  const expected = `is given twice: ${there.join(', ')}`;
  throw new ShapeError({ problem: 'twice', path: memberPath(path, name), expected });
}

/**
 * An object that is read tolerantly: members in snake_case, lowerCamelCase or under an alias; unknown members are
 * collected, `null` and absent ones get their zero value, two spellings of one member are refused. Writing emits every
 * member in snake_case.
 */
export function message<const S extends Shape>(
  shape: S,
  aliases: Readonly<Record<string, readonly string[]>> = {},
): Field<Message<S>> {
  const fields = Object.entries(shape).map(([name, field]) => ({ name, field }));
  const bySpelling = fieldsBySpelling(shape, aliases);
  const memberNames = Object.keys(shape).map(camelCase);
  // Messages are read-only, so they share the values of absent members.
  const zeros = Object.fromEntries(fields.map(({ name, field }) => [name, field.zero()]));
  return {
    zero: () => ({ ...zeros }) as Message<S>, // it has exactly the members of the shape
    read(value, path, unknown) {
      if (!isRecord(value)) throw mustBe('an object', path, value);
      const result: Record<string, unknown> = { ...zeros };
      const outer = unknown?.length ?? 0;
      let unknownHere: UnknownMember[] | undefined;
      for (const spelling in value) {
        const member = value[spelling];
        const spelled = bySpelling.get(spelling);
        if (spelled === undefined) {
          unknownHere ??= [];
          unknownHere.push({ path: memberPath(path, spelling), known: memberNames });
        } else if (!isAbsent(member)) {
          const { name, field, spellings } = spelled;
          if (spellings !== undefined) requireOnce(value, path, spelled);
          result[name] = field.read(member, memberPath(path, name), unknown);
        }
      }
      if (unknownHere !== undefined) unknown?.splice(outer, 0, ...unknownHere);
      return result as Message<S>; // every member is its field's zero or was read by it
    },
    write(value) {
      const result: Record<string, unknown> = {};
      for (const { name, field } of fields) {
        const member: unknown = value[name];
        result[name] = field.write(member === undefined ? field.zero() : member);
      }
      return result;
    },
    schema(use) {
      const properties = Object.fromEntries(fields.map(({ name, field }) => [name, field.schema(use)]));
      return {
        type: 'object',
        properties,
        ...defined({
          required: use.written && fields.length > 0 ? Object.keys(shape) : undefined,
          additionalProperties: use.closed ? false : undefined,
        }),
      };
    },
  };
}
