import type { NodeTypes } from '../catalog/node-types.ts';
import { display } from '../document/display.ts';
import { isJsonObject, type Json, type JsonObject, ownMember } from '../document/json.ts';
import { DashError } from '../errors.ts';
import type { OperationLocation } from './guard.ts';
import { contentOf, type NodeTree } from './node-tree.ts';
import type { ResolvedTarget } from './target.ts';

const NODE_ID = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,127}$/;

/**
 * Ids of all nodes in a value for a structural position: a node, or a whole `children` array.
 * @throws DashError PATCH_ID_INVALID `{index, pointer, id?, reason}` for a node that is not an object or has no legal id.
 */
export function insertedIds(
  types: NodeTypes,
  target: ResolvedTarget,
  value: Json,
  location: OperationLocation,
): string[] {
  const ids: string[] = [];
  const waiting: Json[] = target.class === 'child-list' && Array.isArray(value) ? [...value] : [value];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (!isJsonObject(node)) throw idInvalid(location, 'not_an_object');
    ids.push(legalId(node, location));
    for (const held of heldIn(types, node)) waiting.push(held);
  }
  return ids;
}

/** @throws DashError PATCH_ID_INVALID `reason: "duplicate"` when the document now repeats one of the ids. */
export function requireUnique(tree: NodeTree, ids: readonly string[], location: OperationLocation): void {
  const repeated = ids.find(id => tree.isRepeated(id));
  if (repeated !== undefined) throw idInvalid(location, 'duplicate', repeated);
}

function heldIn(types: NodeTypes, node: JsonObject): Json[] {
  const children = ownMember(node, 'children');
  const content = contentOf({ node, type: types.typeOf(node), parent: undefined, slot: 'root' });
  const held = Array.isArray(children) ? [...children] : [];
  // Content that is not an object is an error of the wrapper; resolution reports it with the wrapper's code.
  return isJsonObject(content) ? [...held, content] : held;
}

function legalId(node: JsonObject, location: OperationLocation): string {
  const id = ownMember(node, 'id');
  if (id === undefined) throw idInvalid(location, 'missing');
  if (typeof id !== 'string') throw idInvalid(location, 'not_a_string');
  if (!NODE_ID.test(id)) throw idInvalid(location, 'grammar', id);
  return id;
}

function idInvalid(location: OperationLocation, reason: string, id?: string): DashError {
  const which = id === undefined ? 'each node' : `"${display(id)}"`;
  const message = `Operation ${location.index}: ${which} must be a node with a legal id that is used once (${reason}).`;
  const named = id === undefined ? {} : { id };
  return new DashError('PATCH_ID_INVALID', message, {
    index: location.index,
    pointer: location.pointer,
    ...named,
    reason,
  });
}
