import { isPromise } from '@msg/foundation/promises';
import { MsgError } from './errors.ts';
import { encodeUtf8 } from './utf8.ts';

/** A JSON value. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [member: string]: JsonValue };

/**
 * A payload: bytes, which stay unchanged, or any JSON value, strings included. Objects are JSON values if their members
 * are; `toJSON` applies as in `JSON.stringify`.
 */
export type PublishPayload = Uint8Array | ArrayBuffer | JsonValue | object;

/** Deeper values are refused, because JSON readers have a limit too. */
const MAX_DEPTH = 512;

/**
 * The bytes of a payload: its own, else its JSON text in UTF-8.
 * @param name name of the payload in messages
 * @throws MsgError MSG_INVALID_ARGUMENT, with the member (`payload.items[2].price`), for a value that JSON cannot hold:
 * undefined, functions, symbols, BigInt, numbers that are not finite, cycles, binary data inside a value, and objects
 * whose content JSON drops. Source: app-developers 4.
 */
export function payloadBytes(payload: unknown, name = 'payload'): Uint8Array {
  if (payload instanceof Uint8Array) return payload;
  if (payload instanceof ArrayBuffer) return new Uint8Array(payload);
  requireJsonValue(payload, name);
  return encodeUtf8(JSON.stringify(payload));
}

/**
 * Checks that JSON has every part of a value.
 * Checks a JSON value. @throws MsgError MSG_INVALID_ARGUMENT, with the member, as {@link payloadBytes}
 */
export function requireJsonValue(value: unknown, name: string): void {
  requireJson(value, name, '', []);
}

function requireJson(value: unknown, path: string, key: string, parents: object[]): void {
  if (value === null) return;
  const form = nonJson(value);
  if (form !== undefined) throw notJson(path, form);
  if (typeof value !== 'object') return;
  if (parents.includes(value)) throw notJson(path, 'an object that contains itself');
  if (parents.length >= MAX_DEPTH) throw notJson(path, `more than ${MAX_DEPTH} levels`);
  parents.push(value);
  requireMembers(value, path, key, parents);
  parents.pop();
}

function requireMembers(value: object, path: string, key: string, parents: object[]): void {
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    requireJson(value.toJSON(key), path, key, parents);
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) requireJson(item, `${path}[${index}]`, `${index}`, parents);
  } else {
    for (const [member, item] of Object.entries(value)) {
      requireJson(item, `${path}${accessor(member)}`, member, parents);
    }
  }
}

/** The kind of a value that JSON cannot hold; undefined for any other. */
function nonJson(value: unknown): string | undefined {
  switch (typeof value) {
    case 'undefined':
      return 'undefined: leave the member out, or use null';
    case 'bigint':
      return 'a BigInt: use a string';
    case 'function':
    case 'symbol':
      return `a ${typeof value}`;
    case 'number':
      return Number.isFinite(value) ? undefined : String(value);
    case 'object':
      return droppedByJson(value);
    default:
      return undefined;
  }
}

/** The kind of an object whose content `JSON.stringify` drops or turns into numbered bytes. */
function droppedByJson(value: object | null): string | undefined {
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
    return `a ${value.constructor.name}: encode it as text, or publish a Uint8Array alone`;
  }
  const isDropped =
    value instanceof Map || value instanceof Set || isPromise(value) || value instanceof RegExp;
  return isDropped ? `a ${value.constructor.name}` : undefined;
}

function accessor(member: string): string {
  const isName = /^[A-Za-z_$][\w$]*$/.test(member);
  return isName ? `.${member}` : `[${JSON.stringify(member.slice(0, 40))}]`;
}

/** A path, truncated for messages. */
function name(path: string): string {
  return path.length > 80 ? `${path.slice(0, 80)}…` : path;
}

function notJson(path: string, got: string): MsgError {
  return new MsgError('MSG_INVALID_ARGUMENT', `${name(path)} must be a JSON value; got ${got}`);
}
