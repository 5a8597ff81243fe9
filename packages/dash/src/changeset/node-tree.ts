import { isJsonObject, type Json, type JsonObject, ownMember } from '#src/document/json.ts';
import type { Pointer } from '#src/document/pointer.ts';
import type { NodeType, NodeTypes } from './node-types.ts';

/** Where a node stands: under which node and in which of its slots. */
export interface Place {
  readonly node: JsonObject;
  readonly type: NodeType | undefined;
  /** Undefined for the root. */
  readonly parent: Place | undefined;
  readonly slot: 'root' | 'child' | 'content';
}

/**
 * The nodes of a document, found by id. Built from one state of the document and thrown away after an edit of its
 * structure. An id that stands several times means the first in document order (dashboard details 11.2).
 */
export class NodeTree {
  readonly root: Place;
  /** All nodes in document order. */
  readonly places: readonly Place[];
  private readonly byId = new Map<string, Place>();
  private readonly byNode = new Map<JsonObject, Place>();
  private readonly repeated = new Set<string>();

  constructor(document: Json, types: NodeTypes) {
    const stored = isJsonObject(document) ? ownMember(document, 'root') : undefined;
    const node = isJsonObject(stored) ? stored : {};
    this.root = { node, type: types.typeOf(node), parent: undefined, slot: 'root' };
    this.places = isJsonObject(stored) ? placesBelow(this.root, types) : [];
    for (const place of this.places) this.register(place);
  }

  find(id: string): Place | undefined {
    return this.byId.get(id);
  }

  placeOf(node: Json | undefined): Place | undefined {
    return isJsonObject(node) ? this.byNode.get(node) : undefined;
  }

  ids(): string[] {
    return [...this.byId.keys()];
  }

  standsTwice(id: string): boolean {
    return this.repeated.has(id);
  }

  private register(place: Place): void {
    this.byNode.set(place.node, place);
    const id = idOf(place.node);
    if (id === undefined) return;
    if (this.byId.has(id)) this.repeated.add(id);
    else this.byId.set(id, place);
  }
}

export function idOf(node: JsonObject): string | undefined {
  const id = ownMember(node, 'id');
  return typeof id === 'string' ? id : undefined;
}

/** `start` and every node below it, in document order: children, and the content of a type that links. */
export function placesBelow(start: Place, types: NodeTypes): Place[] {
  const found: Place[] = [];
  const waiting = [start];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    found.push(place);
    for (const held of heldBy(place, types).reverse()) waiting.push(held);
  }
  return found;
}

function heldBy(place: Place, types: NodeTypes): Place[] {
  const content = contentOf(place);
  const held = childrenOf(place.node)
    .filter(isJsonObject)
    .map(node => placed(node, place, 'child', types));
  return isJsonObject(content) ? [...held, placed(content, place, 'content', types)] : held;
}

function placed(node: JsonObject, parent: Place, slot: 'child' | 'content', types: NodeTypes): Place {
  return { node, type: types.typeOf(node), parent, slot };
}

export function childrenOf(node: JsonObject): readonly Json[] {
  const children = ownMember(node, 'children');
  return Array.isArray(children) ? children : [];
}

/** What stands in a wrapper's content field. */
export function contentOf(place: Place): Json | undefined {
  const field = place.type?.contentField;
  const config = ownMember(place.node, 'config');
  return field === undefined || !isJsonObject(config) ? undefined : ownMember(config, field);
}

/** The literal pointer of a node in its document. */
export function pointerOf(place: Place): Pointer {
  if (place.parent === undefined) return ['root'];
  const above = pointerOf(place.parent);
  if (place.slot === 'content') return [...above, 'config', place.parent.type?.contentField ?? ''];
  return [...above, 'children', String(childrenOf(place.parent.node).indexOf(place.node))];
}

/** The path of a node as errors show it: `root.children[0].content` (dashboard details 2.7). */
export function pathOf(place: Place): string {
  if (place.parent === undefined) return 'root';
  const above = pathOf(place.parent);
  if (place.slot === 'content') return `${above}.${place.parent.type?.contentField}`;
  return `${above}.children[${childrenOf(place.parent.node).indexOf(place.node)}]`;
}

export function isWithin(place: Place | undefined, ancestor: Place): boolean {
  for (let at = place; at !== undefined; at = at.parent) if (at.node === ancestor.node) return true;
  return false;
}
