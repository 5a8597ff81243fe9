import type { JsonObject } from '../document/json.ts';

/** Pieces of the tools' output schemas: the members of an answer and their kinds, which is what a client checks. */
export const TEXT: JsonObject = { type: 'string' };
export const FLAG: JsonObject = { type: 'boolean' };
export const OBJECT: JsonObject = { type: 'object' };
export const LIST: JsonObject = { type: 'array' };

/**
 * An object of these members, all of them required but the `optional` ones. Further members are allowed: a later version
 * may answer more.
 */
export function objectOf(members: JsonObject, optional: JsonObject = {}): JsonObject {
  return { type: 'object', properties: { ...members, ...optional }, required: Object.keys(members) };
}
