import { cloneJson, isJsonObject, type Json, type JsonObject, ownMember } from '../document/json.ts';
import { childrenOf, contentOf, idOf, type NodePosition, type NodeTree } from './node-tree.ts';
import { nodePointer, type OperationData } from './undo-operation.ts';

/** A node as far as its place matters. */
interface Place {
  readonly id: string;
  parent: Place | undefined;
  readonly children: Place[];
}

/**
 * Operations that put the nodes of `target` in their places: per region, in document order, a child is moved there or
 * added; what the target does not have is removed last, when nothing that stays is below it any more.
 */
export function structureOperations(current: NodeTree, target: NodeTree): OperationData[] {
  const places = placesOf(current);
  const ops: OperationData[] = [];
  for (const position of target.positions) {
    const parent = places.get(idOf(position.node) ?? '');
    if (parent === undefined) continue;
    ops.push(...contentOperations(position, current, target));
    ops.push(...childOperations(position, parent, places));
  }
  return [...ops, ...removals(places, target)];
}

function placesOf(tree: NodeTree): Map<string, Place> {
  const places = new Map<string, Place>();
  for (const { node, parent, slot } of tree.positions) {
    const above = parent === undefined ? undefined : places.get(idOf(parent.node) ?? '');
    const place: Place = { id: idOf(node) ?? '', parent: above, children: [] };
    if (slot === 'child') above?.children.push(place);
    places.set(place.id, place);
  }
  return places;
}

function childOperations(position: NodePosition, parent: Place, places: Map<string, Place>): OperationData[] {
  const ops: OperationData[] = [];
  for (const [index, child] of childrenOf(position.node).entries()) {
    if (!isJsonObject(child)) continue;
    const id = idOf(child) ?? '';
    const path = nodePointer(parent.id, 'children', String(index));
    const place = places.get(id);
    if (place === undefined) {
      ops.push({ op: 'add', path, value: withoutPlaced(child, places) });
      addPlaces(child, parent, index, places);
    } else if (parent.children[index] !== place) {
      ops.push({ op: 'move', from: nodePointer(id), path });
      detach(place);
      place.parent = parent;
      parent.children.splice(index, 0, place);
    }
  }
  return ops;
}

/** A wrapper whose content is another node gets it whole; that the content is elsewhere now is left to a bigger replacement. */
function contentOperations(position: NodePosition, current: NodeTree, target: NodeTree): OperationData[] {
  const content = contentOf(position);
  if (!isJsonObject(content) || target.positionOf(content) === undefined) return [];
  const held = current.find(idOf(position.node) ?? '');
  const now = held === undefined ? undefined : contentOf(held);
  if (isJsonObject(now) && idOf(now) === idOf(content)) return [];
  const field = position.type?.contentField ?? '';
  const path = nodePointer(idOf(position.node) ?? '', 'config', field);
  return [{ op: now === undefined ? 'add' : 'replace', path, value: cloneJson(content) }];
}

/** A node to add, without the nodes below it that are in the document and will be moved. */
function withoutPlaced(node: JsonObject, places: ReadonlyMap<string, Place>): JsonObject {
  const children = ownMember(node, 'children');
  if (!Array.isArray(children)) return cloneJson(node);
  const isNew = (child: Json): boolean => !isJsonObject(child) || !places.has(idOf(child) ?? '');
  const added = children
    .filter(isNew)
    .map(child => (isJsonObject(child) ? withoutPlaced(child, places) : child));
  return { ...cloneJson({ ...node, children: [] }), children: added };
}

function addPlaces(node: JsonObject, parent: Place, index: number, places: Map<string, Place>): void {
  const place: Place = { id: idOf(node) ?? '', parent, children: [] };
  const below = childrenOf(node).filter(isJsonObject);
  const added = below.filter(child => !places.has(idOf(child) ?? ''));
  places.set(place.id, place);
  parent.children.splice(index, 0, place);
  for (const [at, child] of added.entries()) addPlaces(child, place, at, places);
}

function detach(place: Place): void {
  const siblings = place.parent?.children ?? [];
  const at = siblings.indexOf(place);
  if (at >= 0) siblings.splice(at, 1);
}

/** The topmost children that the target does not have. */
function removals(places: ReadonlyMap<string, Place>, target: NodeTree): OperationData[] {
  const isGone = (place: Place): boolean => target.find(place.id) === undefined;
  const gone = [...places.values()].filter(
    place => isGone(place) && place.parent?.children.includes(place) === true && !isGone(place.parent),
  );
  return gone.map(({ id }) => ({ op: 'remove', path: nodePointer(id) }));
}
