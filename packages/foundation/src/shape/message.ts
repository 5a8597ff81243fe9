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

function givenTwice(path: string, spellings: readonly string[], value: object): ShapeError {
  const present = spellings.filter(spelling => Object.hasOwn(value, spelling));
  return new ShapeError({ problem: 'twice', path, expected: `is given twice: ${present.join(', ')}` });
}

/** Adds the members of `value` that are not spelled as one of the message's. */
function addUnknown(
  unknown: UnknownMember[],
  at: number,
  value: object,
  path: string,
  { spelled, known }: { readonly spelled: ReadonlySet<string>; readonly known: readonly string[] },
): void {
  const names = Object.keys(value).filter(member => !spelled.has(member));
  const paths = names.map(member => (path === '' ? member : `${path}.${member}`));
  unknown.splice(at, 0, ...paths.map(member => ({ path: member, known })));
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
  const fields = Object.entries(shape).map(([name, field]) => ({
    name,
    field,
    spellings: [...new Set([name, camelCase(name), ...(aliases[name] ?? [])])],
  }));
  const names = {
    spelled: new Set(fields.flatMap(({ spellings }) => spellings)),
    known: Object.keys(shape).map(camelCase),
  };
  return {
    zero() {
      // The loop fills exactly the members of the shape.
      return Object.fromEntries(fields.map(({ name, field }) => [name, field.zero()])) as Message<S>;
    },
    read(value, path, unknown) {
      if (!isRecord(value)) throw mustBe('an object', path, value);
      let members = 0;
      for (const _ in value) members++;
      const outer = unknown?.length ?? 0;
      const result: Record<string, unknown> = {};
      for (const { name, field, spellings } of fields) {
        let input: unknown = null;
        for (const spelling of spellings) {
          const member = value[spelling]; // no field has the name of a member of Object.prototype
          if (member === undefined) continue;
          members--;
          if (member === null) continue;
          if (input !== null) throw givenTwice(memberPath(path, name), spellings, value);
          input = member;
        }
        result[name] = input === null ? field.zero() : field.read(input, memberPath(path, name), unknown);
      }
      // Most messages have only known members, whose names need no second lookup.
      if (members > 0 && unknown !== undefined) addUnknown(unknown, outer, value, path, names);
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
