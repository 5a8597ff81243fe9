import type { Payload } from '../payload/payload.ts';
import { type Field, type NamedField, named } from './field.ts';

/** A table row for every member of `T`, of the kind that fits the member's type. */
export type Fields<T> = { readonly [Name in keyof T]-?: Field<T[Name]> };

/** A message under construction: its table proves which values its members take. */
export type Draft = Record<string, unknown>;

/** A message to be written: members that are missing count as zero. */
export type Members = Readonly<Record<string, unknown>>;

const SLOTS = 64;

/**
 * One message of the protocol as data: the codecs walk over this table, so a rule of the encoding stands in one
 * place for all messages.
 */
export class MessageType<T> {
  readonly name: string;
  /** Ascending by field number. */
  readonly fields: readonly NamedField[];
  /** A new message in which every member holds its zero value. Always the same shape. */
  readonly create: () => T;
  readonly #byNumber: readonly (NamedField | undefined)[];
  readonly #slots: readonly (readonly NamedField[])[];

  /** `fields` gets the type itself, for messages that contain themselves. */
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
    this.#slots = Array.from({ length: SLOTS }, (_, slot) =>
      this.fields.filter(field => (field.hash & (SLOTS - 1)) === slot),
    );
  }

  /** The field with this number. */
  byNumber(number: number): NamedField | undefined {
    return number < this.#byNumber.length ? this.#byNumber[number] : undefined;
  }

  /** The field whose JSON name is `bytes[start, end)`; `hash` is the name's `keyHash`. */
  byKey(bytes: Uint8Array, start: number, end: number, hash: number): NamedField | undefined {
    const slot = this.#slots[hash & (SLOTS - 1)]!;
    for (let i = 0; i < slot.length; i++) {
      const field = slot[i]!;
      if (field.hash === hash && sameBytes(field.key, bytes, start, end)) return field;
    }
    return undefined;
  }
}

function sameBytes(key: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (key.length !== end - start) return false;
  for (let i = 0; i < key.length; i++) if (key[i] !== bytes[start + i]) return false;
  return true;
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

/** A message as encoders take it: any member may be left out and then counts as zero. */
export type Init<T> = { readonly [Name in keyof T]?: InitMember<T[Name]> | undefined };
