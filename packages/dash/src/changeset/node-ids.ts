import { isJsonObject, type Json, type JsonObject, ownMember } from '#src/document/json.ts';
import { DashError } from '#src/errors.ts';
import type { GuardedEnd } from './guard.ts';
import { contentOf, type NodeTree } from './node-tree.ts';
import type { NodeTypes } from './node-types.ts';
import { classify, type Target } from './target.ts';

const NODE_ID = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,127}$/;

/**
 * Ids of all nodes in a value that goes into a structural place: a node, or a whole `children` array.
 *
 * @throws DashError PATCH_ID_INVALID `{index, pointer, id?, reason}` for a node that is no object or has no legal id.
 */
export function insertedIds(types: NodeTypes, target: Target, value: Json, end: GuardedEnd): string[] {
  const wholeArray = classify(target) === 'child-slot' && target.rest.length === 1;
  const ids: string[] = [];
  const waiting: Json[] = wholeArray && Array.isArray(value) ? [...value] : [value];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (!isJsonObject(node)) throw idInvalid(end, 'not_an_object');
    ids.push(legalId(node, end));
    for (const held of heldIn(types, node)) waiting.push(held);
  }
  return ids;
}

/** @throws DashError PATCH_ID_INVALID `reason: "duplicate"` when one of the ids now stands twice in the document. */
export function requireUnique(tree: NodeTree, ids: readonly string[], end: GuardedEnd): void {
  const repeated = ids.find(id => tree.standsTwice(id));
  if (repeated !== undefined) throw idInvalid(end, 'duplicate', repeated);
}

function heldIn(types: NodeTypes, node: JsonObject): Json[] {
  const children = ownMember(node, 'children');
  const content = contentOf({ node, type: types.typeOf(node), parent: undefined, slot: 'root' });
  const held = Array.isArray(children) ? [...children] : [];
  // Content that is no object is a fault of the wrapper, which resolution reports with the wrapper's own code.
  return isJsonObject(content) ? [...held, content] : held;
}

function legalId(node: JsonObject, end: GuardedEnd): string {
  const id = ownMember(node, 'id');
  if (id === undefined) throw idInvalid(end, 'missing');
  if (typeof id !== 'string') throw idInvalid(end, 'not_a_string');
  if (!NODE_ID.test(id)) throw idInvalid(end, 'grammar', id);
  return id;
}

function idInvalid(end: GuardedEnd, reason: string, id?: string): DashError {
  const which = id === undefined ? 'A node' : `The node ${JSON.stringify(id.slice(0, 128))}`;
  const message = `${which} put in by operation ${end.index} needs a legal, unique id (${reason}).`;
  const shown = id === undefined ? {} : { id: id.slice(0, 128) };
  return new DashError('PATCH_ID_INVALID', message, {
    index: end.index,
    pointer: end.pointer,
    ...shown,
    reason,
  });
}
