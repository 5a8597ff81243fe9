import type { Payload } from '../payload/payload.ts';
import { type Field, type NamedField, named } from './field.ts';
import { KeyTrie } from './key-trie.ts';

/** A table row for every member of `T`, of the kind that fits the member's type. */
export type Fields<T> = { readonly [Name in keyof T]-?: Field<T[Name]> };

/** A message under construction; its table checks the members' values. */
export type Draft = Record<string, unknown>;

/** A message to write: missing members count as zero. */
export type Members = Readonly<Record<string, unknown>>;

/**
 * One message of the protocol as data: the codecs read this table, so each rule of the encoding is in one place for all
 * messages.
 */
export class MessageType<T> {
  readonly name: string;
  /** Ascending by field number. */
  readonly fields: readonly NamedField[];
  /** A new message in which every member holds its zero value. Always the same shape. */
  readonly create: () => T;
  readonly #byNumber: readonly (NamedField | undefined)[];
  #keys: KeyTrie | null;

  /** `fields` gets the type itself, for recursive messages. */
  constructor(name: string, create: () => T, fields: (self: MessageType<T>) => Fields<T>) {
    this.name = name;
    this.create = create;
    // `Fields<T>` was checked against T; from here on the rows are handled alike.
    const rows = Object.entries(fields(this) as Record<string, Field<unknown>>);
    this.fields = rows.map(([member, row]) => named(member, row)).sort((a, b) => a.number - b.number);
    const byNumber: (NamedField | undefined)[] = [];
    for (let i = 0; i <= (this.fields.at(-1)?.number ?? 0); i++) byNumber.push(undefined);
    for (const field of this.fields) byNumber[field.number] = field;
    this.#byNumber = byNumber;
    this.#keys = null;
  }

  /** The field with this number. */
  byNumber(number: number): NamedField | undefined {
    return number < this.#byNumber.length ? this.#byNumber[number] : undefined;
  }

  /** The fields by JSON name. */
  get keys(): KeyTrie {
    this.#keys ??= new KeyTrie(this.fields);
    return this.#keys;
  }
}

/** What an encoder takes for a member of type `V`. */
type InitMember<V> = V extends Uint8Array
  ? V | Payload
  : V extends Payload
    ? Payload | Uint8Array
    : V extends ReadonlyMap<string, infer E>
      ? ReadonlyMap<string, InitMember<E>>
      : V extends readonly (infer E)[]
        ? readonly InitMember<E>[]
        : V extends object
          ? Init<V>
          : V;

/** A message for encoders: a missing member counts as zero. */
export type Init<T> = { readonly [Name in keyof T]?: InitMember<T[Name]> | undefined };
