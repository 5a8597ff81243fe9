import { encodeUtf8 } from '@msg/core/internal';
import { isRecord, JsonSource } from '@msg/foundation/json';
import { badRequest } from './errors.ts';

/** The members of a command. Unknown ones are ignored; an absent one and `null` are its zero value. */
export type Members = Readonly<Record<string, unknown>>;

const NO_MEMBERS: Members = {};
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/** @throws MsgError MSG_INVALID_ARGUMENT, as every reader here, for a value of another type. */
export function textOf(members: Members, name: string): string {
  const value = members[name] ?? '';
  return typeof value === 'string' ? value : badRequest(`${name} must be a string`);
}

export function flagOf(members: Members, name: string): boolean {
  const value = members[name] ?? false;
  return typeof value === 'boolean' ? value : badRequest(`${name} must be true or false`);
}

/** A whole number; `fallback` where it is absent. */
export function integerOf(members: Members, name: string, fallback = 0): number {
  const value = members[name] ?? fallback;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  return badRequest(`${name} must be an integer`);
}

export function textsOf(members: Members, name: string): readonly string[] {
  const value = members[name] ?? [];
  if (Array.isArray(value) && value.every(item => typeof item === 'string')) return value;
  return badRequest(`${name} must be an array of strings`);
}

export function textMapOf(members: Members, name: string): ReadonlyMap<string, string> | undefined {
  const value = members[name];
  if (value === undefined || value === null) return undefined;
  const entries = isRecord(value) ? Object.entries(value) : [];
  if (!isRecord(value) || !entries.every((entry): entry is [string, string] => typeof entry[1] === 'string'))
    return badRequest(`${name} must be an object of strings`);
  return new Map(entries);
}

/** An object; undefined where it is absent. */
export function objectOf(members: Members, name: string): Members | undefined {
  const value = members[name];
  if (value === undefined || value === null) return undefined;
  return isRecord(value) ? value : badRequest(`${name} must be an object`);
}

/** The members of an object inside a request; none where it is absent. */
export function membersOf(value: unknown): Members | undefined {
  if (value === undefined || value === null) return NO_MEMBERS;
  return isRecord(value) ? value : undefined;
}

/**
 * A value for subscribers: its JSON text, or the bytes of the base64 member beside it, which has precedence; undefined
 * without both.
 */
export interface Bytes {
  readonly bytes: Uint8Array;
  /** They are the text of one JSON value without line breaks. */
  readonly isPlainJson: boolean;
}

export function bytesOf(members: Members, name: string): Bytes | undefined {
  const encoded = textOf(members, `b64${name}`);
  if (encoded !== '') {
    if (!BASE64.test(encoded)) badRequest(`b64${name} must be base64`);
    return { bytes: Buffer.from(encoded, 'base64'), isPlainJson: false };
  }
  const value = members[name];
  if (value === undefined) return undefined;
  const text = value instanceof JsonSource ? value.text : JSON.stringify(value);
  return { bytes: encodeUtf8(text), isPlainJson: !text.includes('\n') && !text.includes('\r') };
}
