import { isPromise } from '@msg/foundation/promises';
import { MsgError } from './errors.ts';
import { encodeUtf8 } from './utf8.ts';

/** A value as JSON has it. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [member: string]: JsonValue };

/**
 * What is published: bytes, which stay as they are, or any value of JSON, strings too. Objects of any interface are such
 * values when their members are; `toJSON` counts as for `JSON.stringify`.
 */
export type PublishPayload = Uint8Array | ArrayBuffer | JsonValue | object;

/** Deeper values are refused: readers of JSON have a bound too. */
const MAX_DEPTH = 512;

/**
 * The bytes of a payload: those that it is made of, else its JSON text in UTF-8.
 * @param name what the payload is called in messages
 * @throws MsgError MSG_INVALID_ARGUMENT that names the member, `payload.items[2].price`, for what JSON does not have:
 * undefined, functions, symbols, BigInt, numbers that are not finite, cycles, binary data inside of a value, and objects
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
 * @throws MsgError MSG_INVALID_ARGUMENT that names the member for what JSON does not have; see {@link payloadBytes}.
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

/** What a value is when JSON has nothing like it. */
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

/** The kind of an object of which `JSON.stringify` would keep nothing, or numbered bytes. */
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

/** The beginning of a path that is too long to be shown. */
function name(path: string): string {
  return path.length > 80 ? `${path.slice(0, 80)}…` : path;
}

function notJson(path: string, got: string): MsgError {
  return new MsgError('MSG_INVALID_ARGUMENT', `${name(path)} must be a JSON value; got ${got}`);
}
