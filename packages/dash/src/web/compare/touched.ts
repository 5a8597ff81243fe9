import type { NodeTypes } from '../../catalog/node-types.ts';
import { type Difference, differencesBetween } from '../../changeset/differences.ts';
import { idOf, type NodePosition, NodeTree, pathOf } from '../../changeset/node-tree.ts';
import type { JsonObject } from '../../document/json.ts';

export type ItemKind = 'added' | 'removed' | 'moved' | 'changed' | 'affected';

/** An item that people see as one: a leaf, a region, or a block with what it holds. */
export interface ComparedItem {
  readonly id: string;
  readonly kind: ItemKind;
  /** Its node before; absent for an added one. */
  readonly former: NodePosition | undefined;
  /** Its node after; absent for a removed one. */
  readonly position: NodePosition | undefined;
  /** Declarations through which an item is affected without being touched. */
  readonly through: readonly string[];
}

/** Two states of a document with what differs between them. */
export interface ComparedDocuments {
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly old: NodeTree;
  readonly current: NodeTree;
  readonly differences: readonly Difference[];
}

export function compareNodes(before: JsonObject, after: JsonObject, types: NodeTypes): ComparedDocuments {
  const differences = differencesBetween(before, after, types);
  return {
    before,
    after,
    old: new NodeTree(before, types),
    current: new NodeTree(after, types),
    differences,
  };
}

/** The items that differences name, in document order. */
export function touchedItems(documents: ComparedDocuments): ComparedItem[] {
  const byItem = new Map<string, Difference[]>();
  for (const difference of documents.differences) {
    const at = difference.position ?? difference.former;
    const id = at === undefined ? undefined : itemIdOf(at);
    if (id !== undefined) byItem.set(id, [...(byItem.get(id) ?? []), difference]);
  }
  return [...byItem].map(([id, differences]) => itemAt(documents, id, differences));
}

/** An item that is affected without being touched. */
export function affectedItem(
  { old, current }: ComparedDocuments,
  id: string,
  through: string[],
): ComparedItem {
  return { id, kind: 'affected', former: old.find(id), position: current.find(id), through };
}

function itemAt({ old, current }: ComparedDocuments, id: string, differences: Difference[]): ComparedItem {
  const [former, position] = [old.find(id), current.find(id)];
  return { id, kind: kindOf(former, position, differences), former, position, through: [] };
}

function kindOf(
  former: NodePosition | undefined,
  position: NodePosition | undefined,
  differences: readonly Difference[],
): ItemKind {
  if (former === undefined) return 'added';
  if (position === undefined) return 'removed';
  const isMove = ({ kind, field }: Difference): boolean =>
    (kind === 'moved' && field === undefined) || field?.startsWith('placement.') === true;
  return differences.every(isMove) ? 'moved' : 'changed';
}

/** The item that a node is part of: what a block holds is part of the block. */
export function itemIdOf(position: NodePosition): string | undefined {
  const { slot, parent, node } = position;
  return slot === 'content' && parent !== undefined ? itemIdOf(parent) : idOf(node);
}

/** The item that an error is about, by its node or its path; undefined for one about the whole document. */
export function itemOfError(
  { current, old }: Pick<ComparedDocuments, 'current' | 'old'>,
  details: Readonly<Record<string, unknown>>,
): string | undefined {
  const { nodeId, path, cause } = details;
  const named = typeof nodeId === 'string' ? (current.find(nodeId) ?? old.find(nodeId)) : undefined;
  const position = named ?? (typeof path === 'string' ? nodeAt(current, path) : undefined);
  if (position !== undefined) return itemIdOf(position);
  const inner = (cause as { details?: Readonly<Record<string, unknown>> } | undefined)?.details;
  return inner === undefined ? undefined : itemOfError({ current, old }, inner);
}

/** The deepest node on a path. */
function nodeAt({ positions }: NodeTree, path: string): NodePosition | undefined {
  const around = positions.filter(position => `${path}.`.startsWith(`${pathOf(position)}.`));
  return around.toSorted((a, b) => pathOf(b).length - pathOf(a).length)[0];
}
