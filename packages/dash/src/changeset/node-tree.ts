import type { NodeType, NodeTypes } from '../catalog/node-types.ts';
import { isJsonObject, type Json, type JsonObject, ownMember } from '../document/json.ts';
import type { Pointer } from '../document/pointer.ts';

/** Position of a node: its parent and the slot there. */
export interface NodePosition {
  readonly node: JsonObject;
  readonly type: NodeType | undefined;
  /** Undefined for the root. */
  readonly parent: NodePosition | undefined;
  readonly slot: 'root' | 'child' | 'content';
}

/**
 * The nodes of a document by id. A structural edit removes and adds only its own nodes, so that its cost depends on them
 * and not on the document. An id of several nodes means the first in document order (dashboard details 11.2).
 */
export class NodeTree {
  readonly #types: NodeTypes;
  readonly #first = new Map<string, NodePosition>();
  /**
   * Further nodes with the id of an earlier one, in document order. Only a stored document has them: a changeset that
   * repeats an id is refused.
   */
  readonly #further = new Map<string, Set<NodePosition>>();
  readonly #byNode = new Map<JsonObject, NodePosition>();
  #root: NodePosition;

  constructor(document: Json, types: NodeTypes) {
    this.#types = types;
    this.#root = positionAt({}, undefined, 'root', types);
    const stored = isJsonObject(document) ? ownMember(document, 'root') : undefined;
    if (stored !== undefined) this.add(stored, undefined, 'root');
  }

  get root(): NodePosition {
    return this.#root;
  }

  /** All nodes; before the first edit in document order. */
  get positions(): readonly NodePosition[] {
    return [...this.#byNode.values()];
  }

  find(id: string): NodePosition | undefined {
    return this.#first.get(id);
  }

  positionOf(node: Json | undefined): NodePosition | undefined {
    return isJsonObject(node) ? this.#byNode.get(node) : undefined;
  }

  ids(): string[] {
    return [...this.#first.keys()];
  }

  isRepeated(id: string): boolean {
    return this.#further.has(id);
  }

  /** Adds a node in a slot of `parent`, and every node below it. */
  add(node: Json, parent: NodePosition | undefined, slot: NodePosition['slot']): void {
    if (!isJsonObject(node)) return;
    const top = positionAt(node, parent, slot, this.#types);
    if (slot === 'root') this.#root = top;
    for (const position of positionsBelow(top, this.#types)) this.#register(position);
  }

  /** Removes a node, and every node below it. */
  remove(node: Json | undefined): void {
    const top = this.positionOf(node);
    if (top === undefined) return;
    for (const position of positionsBelow(top, this.#types)) this.#forget(position.node);
  }

  #register(position: NodePosition): void {
    this.#byNode.set(position.node, position);
    const id = idOf(position.node);
    if (id === undefined) return;
    const further = this.#further.get(id);
    if (!this.#first.has(id)) this.#first.set(id, position);
    else if (further === undefined) this.#further.set(id, new Set([position]));
    else further.add(position);
  }

  #forget(node: JsonObject): void {
    const position = this.#byNode.get(node);
    this.#byNode.delete(node);
    const id = idOf(node);
    if (position === undefined || id === undefined) return;
    const further = this.#further.get(id);
    if (this.#first.get(id) !== position) further?.delete(position);
    else {
      const [next] = further ?? [];
      if (next === undefined) this.#first.delete(id);
      else {
        this.#first.set(id, next);
        further?.delete(next);
      }
    }
    if (further?.size === 0) this.#further.delete(id);
  }
}

export function idOf(node: JsonObject): string | undefined {
  const id = ownMember(node, 'id');
  return typeof id === 'string' ? id : undefined;
}

/** `start` and every node below it, in document order: children, and the content of a type that links. */
function positionsBelow(start: NodePosition, types: NodeTypes): NodePosition[] {
  const below: NodePosition[] = [];
  const waiting = [start];
  for (let position = waiting.pop(); position !== undefined; position = waiting.pop()) {
    below.push(position);
    for (const held of heldBy(position, types).reverse()) waiting.push(held);
  }
  return below;
}

/** The nodes below `start` that are children and have none, in document order: what people see in it. */
export function leavesBelow(start: NodePosition, types: NodeTypes): readonly NodePosition[] {
  const [, ...below] = positionsBelow(start, types);
  return below.filter(({ slot, node }) => slot === 'child' && childrenOf(node).length === 0);
}

function heldBy(position: NodePosition, types: NodeTypes): NodePosition[] {
  const content = contentOf(position);
  const held = childrenOf(position.node)
    .filter(isJsonObject)
    .map(node => positionAt(node, position, 'child', types));
  return isJsonObject(content) ? [...held, positionAt(content, position, 'content', types)] : held;
}

function positionAt(
  node: JsonObject,
  parent: NodePosition | undefined,
  slot: NodePosition['slot'],
  types: NodeTypes,
): NodePosition {
  return { node, type: types.typeOf(node), parent, slot };
}

export function childrenOf(node: JsonObject): readonly Json[] {
  const children = ownMember(node, 'children');
  return Array.isArray(children) ? children : [];
}

/** The value of a wrapper's content field. */
export function contentOf(position: NodePosition): Json | undefined {
  const field = position.type?.contentField;
  const config = ownMember(position.node, 'config');
  return field === undefined || !isJsonObject(config) ? undefined : ownMember(config, field);
}

/** The literal pointer of a node in its document. */
export function pointerOf(position: NodePosition): Pointer {
  if (position.parent === undefined) return ['root'];
  const above = pointerOf(position.parent);
  if (position.slot === 'content') return [...above, 'config', position.parent.type?.contentField ?? ''];
  return [...above, 'children', String(childrenOf(position.parent.node).indexOf(position.node))];
}

/** The path of a node in errors: `root.children[0].content` (dashboard details 2.7). */
export function pathOf(position: NodePosition): string {
  if (position.parent === undefined) return 'root';
  const above = pathOf(position.parent);
  if (position.slot === 'content') return `${above}.${position.parent.type?.contentField}`;
  return `${above}.children[${childrenOf(position.parent.node).indexOf(position.node)}]`;
}
