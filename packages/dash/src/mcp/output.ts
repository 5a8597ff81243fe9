import type { JsonObject } from '../document/json.ts';

/** Pieces of the tools' output schemas. */
export const TEXT: JsonObject = { type: 'string' };
export const FLAG: JsonObject = { type: 'boolean' };
export const OPEN_OBJECT: JsonObject = { type: 'object' };

export function listOf(items: JsonObject): JsonObject {
  return { type: 'array', items };
}

/** An object of these members, all of them required but the `optional` ones. */
export function objectOf(members: JsonObject, optional: JsonObject = {}): JsonObject {
  const properties = { ...members, ...optional };
  return { type: 'object', properties, required: Object.keys(members), additionalProperties: false };
}

export const DASHBOARDS: JsonObject = listOf(objectOf({ id: TEXT }, { title: TEXT }));

const CODED_ERROR: JsonObject = objectOf({ code: TEXT, message: TEXT, details: OPEN_OBJECT });

export const SURFACE: JsonObject = listOf(objectOf({ key: TEXT, type: TEXT }));

const KINDS: JsonObject = { enum: ['added', 'removed', 'moved', 'changed'] };

export const CHANGES: JsonObject = listOf(
  objectOf({ kind: KINDS, nodeId: TEXT }, { title: TEXT, field: TEXT, from: {}, to: {} }),
);

const NODE: JsonObject = { $ref: '#/$defs/node' };

/** Output of `dash_get_outline`, whose nodes nest. */
export const OUTLINE: JsonObject = {
  ...objectOf(
    {
      id: TEXT,
      document: objectOf({ variables: listOf(TEXT), connections: listOf(TEXT), theme: FLAG }),
      root: NODE,
    },
    { revision: TEXT, problem: CODED_ERROR },
  ),
  $defs: {
    node: objectOf(
      { id: TEXT, type: TEXT, container: FLAG, children: listOf(NODE) },
      { title: TEXT, placement: TEXT, metadata: OPEN_OBJECT },
    ),
  },
};
