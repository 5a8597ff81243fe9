import { utf8Bytes } from '../bytes/utf8.ts';
import { EMPTY_PAYLOAD, type Payload } from '../payload/payload.ts';
import type { Kind } from './kind.ts';
import type { MessageType } from './message-type.ts';
import { NO_ENTRIES, NO_ITEMS } from './zero.ts';

/** One row of a message table. `V` is the type of the member it describes. */
export interface Field<V> {
  readonly kind: Kind;
  readonly number: number;
  /** Value of a member that is absent on the wire. */
  readonly zero: V;
  /** JSON writes the member even when it holds its zero value (ALWAYS in client protocol 3). */
  readonly always: boolean;
  /** JSON leaves the member out when its bytes are not UTF-8. */
  readonly textOnly: boolean;
  /** Message type of `message`, `messages` and `messageMap`. */
  readonly type: MessageType<unknown> | null;
}

/** A {@link Field} with its name, in the forms the codecs need. */
export interface NamedField extends Field<unknown> {
  /** Name of the member. */
  readonly name: string;
  /** UTF-8 bytes of the JSON name. */
  readonly key: Uint8Array;
  /** `"json_name":` */
  readonly label: Uint8Array;
  /** Protobuf tag: field number and wire type. */
  readonly tag: number;
}

function field<V>(kind: Kind, number: number, zero: V, type: MessageType<unknown> | null = null): Field<V> {
  return { kind, number, zero, always: false, textOnly: false, type };
}

export const u32 = (number: number): Field<number> => field('u32', number, 0);
export const u64 = (number: number): Field<number> => field('u64', number, 0);
export const i32 = (number: number): Field<number> => field('i32', number, 0);
export const i64 = (number: number): Field<number> => field('i64', number, 0);
export const s64 = (number: number): Field<number> => field('s64', number, 0);
export const double = (number: number): Field<number> => field('double', number, 0);
export const bool = (number: number): Field<boolean> => field('bool', number, false);
export const str = (number: number): Field<string> => field('str', number, '');
export const bytes = (number: number): Field<Uint8Array | null> =>
  field<Uint8Array | null>('bytes', number, null);
export const payload = (number: number): Field<Payload> => always(field('payload', number, EMPTY_PAYLOAD));
export const strings = (number: number): Field<readonly string[]> => field('strings', number, NO_ITEMS);
export const stringMap = (number: number): Field<ReadonlyMap<string, string>> =>
  field('stringMap', number, NO_ENTRIES);
export const doubleMap = (number: number): Field<ReadonlyMap<string, number>> =>
  field('doubleMap', number, NO_ENTRIES);
export const message = <T>(number: number, type: MessageType<T>): Field<T | null> =>
  field<T | null>('message', number, null, type);
export const messages = <T>(number: number, type: MessageType<T>): Field<readonly T[]> =>
  field('messages', number, NO_ITEMS, type);
export const messageMap = <T>(number: number, type: MessageType<T>): Field<ReadonlyMap<string, T>> =>
  field('messageMap', number, NO_ENTRIES, type);

/** Marks a field that JSON writes even when it is zero. */
export function always<V>(of: Field<V>): Field<V> {
  return { ...of, always: true };
}

/** Marks a field of bytes that JSON leaves out when they are not UTF-8. */
export function textOnly<V>(of: Field<V>): Field<V> {
  return { ...of, textOnly: true };
}

/** Gives a field its name: the member is camelCase, the JSON name snake_case. */
export function named(name: string, of: Field<unknown>): NamedField {
  const jsonName = name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
  const key = utf8Bytes(jsonName);
  return {
    kind: of.kind,
    number: of.number,
    zero: of.zero,
    always: of.always,
    textOnly: of.textOnly,
    type: of.type,
    name,
    key,
    label: utf8Bytes(`"${jsonName}":`),
    tag: (of.number << 3) | wireType(of.kind),
  };
}

/** Wire types of the Protobuf encoding that our messages use. */
export const WireType = {
  varint: 0,
  fixed64: 1,
  delimited: 2,
  startGroup: 3,
  endGroup: 4,
  fixed32: 5,
} as const;

function wireType(kind: Kind): number {
  switch (kind) {
    case 'u32':
    case 'u64':
    case 'i32':
    case 'i64':
    case 's64':
    case 'bool':
      return WireType.varint;
    case 'double':
      return WireType.fixed64;
    default:
      return WireType.delimited;
  }
}
