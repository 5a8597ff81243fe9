import { defined } from '@msg/foundation/json';
import type { NodeTypes } from '../catalog/node-types.ts';
import { jsonEqual } from '../document/canonical.ts';
import { isJsonObject, type Json, type JsonObject, ownMember } from '../document/json.ts';
import { longestCommonOrder } from './kept-order.ts';
import { childrenOf, idOf, type NodePosition, NodeTree } from './node-tree.ts';
import { SCOPE_MEMBERS } from './target.ts';

/** One difference between two states of a document, with whole values and the positions that it is about. */
export interface Difference {
  readonly kind: 'added' | 'removed' | 'moved' | 'changed';
  readonly nodeId: string;
  readonly title?: string;
  readonly field?: string;
  readonly from?: Json;
  readonly to?: Json;
  /** The node in the state before; absent for scopes and for an added node. */
  readonly former?: NodePosition;
  /** The node in the state after; absent for scopes and for a removed node. */
  readonly position?: NodePosition;
}

/** Every difference, in document order, scopes first (dashboard details 13.3). */
export function differencesBetween(before: JsonObject, after: JsonObject, types: NodeTypes): Difference[] {
  return [
    ...scopeChanges(before, after),
    ...nodeChanges(new NodeTree(before, types), new NodeTree(after, types)),
  ];
}

function scopeChanges(before: JsonObject, after: JsonObject): Difference[] {
  const [manifest, theme] = ['manifest', 'theme'].map(member =>
    fieldChanges(
      member === 'theme' ? '$theme' : '$manifest',
      ownMember(before, member),
      ownMember(after, member),
    ),
  );
  const variables = entryChanges('$variables', 'name', before, after);
  const connections = entryChanges('$connections', 'id', before, after);
  return [...(manifest ?? []), ...variables, ...connections, ...(theme ?? [])];
}

/** Compares declarations by name: a changed declaration is one change. */
function entryChanges(
  scope: '$variables' | '$connections',
  key: string,
  before: JsonObject,
  after: JsonObject,
): Difference[] {
  const old = entriesOf(ownMember(before, SCOPE_MEMBERS[scope]), key);
  const current = entriesOf(ownMember(after, SCOPE_MEMBERS[scope]), key);
  const remaining = [...current].flatMap(([name, value]) => compare(scope, name, old.get(name), value));
  const removed = [...old].filter(([name]) => !current.has(name));
  return [...removed.flatMap(([name, value]) => compare(scope, name, value, undefined)), ...remaining];
}

function entriesOf(list: Json | undefined, key: string): Map<string, Json> {
  if (!Array.isArray(list)) return new Map();
  return new Map(list.map((entry, index) => [textMember(entry, key) ?? String(index), entry]));
}

function textMember(value: Json, key: string): string | undefined {
  const text = isJsonObject(value) ? ownMember(value, key) : undefined;
  return typeof text === 'string' ? text : undefined;
}

function nodeChanges(old: NodeTree, current: NodeTree): Difference[] {
  const comparison: Comparison = { old, current, removed: removedByParent(old, current), inOrder: new Map() };
  const rootIsGone = old.positions.length > 0 && !isKnown(current, old.root);
  const changes = current.positions.flatMap(position => changesAt(position, comparison));
  return rootIsGone ? [removal(old.root), ...changes] : changes;
}

/** Two trees, with results that are computed once per parent. */
interface Comparison {
  readonly old: NodeTree;
  readonly current: NodeTree;
  /** Removed nodes by their former parent. */
  readonly removed: ReadonlyMap<NodePosition | undefined, readonly NodePosition[]>;
  /** Ids of a parent's children that kept their order. */
  readonly inOrder: Map<NodePosition, ReadonlySet<string>>;
}

function removedByParent(old: NodeTree, current: NodeTree): Map<NodePosition | undefined, NodePosition[]> {
  return Map.groupBy(
    old.positions.filter(position => !isKnown(current, position)),
    position => position.parent,
  );
}

function isKnown(tree: NodeTree, position: NodePosition): boolean {
  return tree.find(idOf(position.node) ?? '') !== undefined;
}

function changesAt(position: NodePosition, comparison: Comparison): Difference[] {
  const { old, current } = comparison;
  const id = idOf(position.node);
  if (id === undefined || current.find(id) !== position) return [];
  const former = old.find(id);
  if (former !== undefined) return changesOfNode(id, former, position, comparison);
  // An added subtree is reported by its top node only.
  const isTop = position.parent === undefined || isKnown(old, position.parent);
  return isTop
    ? [{ kind: 'added', nodeId: id, ...titleOf(position), to: parentPath(position), position }]
    : [];
}

function changesOfNode(
  id: string,
  former: NodePosition,
  position: NodePosition,
  comparison: Comparison,
): Difference[] {
  const title = titleOf(position);
  const moved: Difference[] = hasMoved(former, position, comparison)
    ? [
        {
          kind: 'moved',
          nodeId: id,
          ...title,
          from: parentPath(former),
          to: parentPath(position),
          former,
          position,
        },
      ]
    : [];
  const fields = fieldChanges(id, ownFields(former), ownFields(position)).map(change => ({
    ...change,
    ...title,
    former,
    position,
  }));
  return [...moved, ...fields, ...(comparison.removed.get(former) ?? []).map(removal)];
}

function removal(former: NodePosition): Difference {
  return {
    kind: 'removed',
    nodeId: idOf(former.node) ?? '',
    ...titleOf(former),
    from: parentPath(former),
    former,
  };
}

/** A node without children and content, which have their own changes. */
function ownFields(position: NodePosition): JsonObject {
  const { children: _children, id: _id, ...fields } = position.node;
  const config = ownMember(fields, 'config');
  const content = position.type?.contentField;
  if (!isJsonObject(config) || content === undefined || !isJsonObject(config[content])) return fields;
  const { [content]: _content, ...settings } = config;
  return { ...fields, config: settings };
}

/** Whether a node moved to another parent, or out of the order of the parent's remaining nodes. */
function hasMoved(former: NodePosition, position: NodePosition, comparison: Comparison): boolean {
  if (position.parent === undefined || former.parent === undefined) return position.parent !== former.parent;
  if (idOf(position.parent.node) !== idOf(former.parent.node)) return true;
  if (position.slot === 'content') return false;
  return !keptInOrder(former.parent, position.parent, comparison).has(idOf(position.node) ?? '');
}

function keptInOrder(
  former: NodePosition,
  parent: NodePosition,
  { old, current, inOrder }: Comparison,
): ReadonlySet<string> {
  const cached = inOrder.get(parent);
  if (cached !== undefined) return cached;
  const before = siblingIds(former).filter(id => current.find(id)?.parent === parent);
  const after = siblingIds(parent).filter(id => old.find(id)?.parent === former);
  const order = longestCommonOrder(before, after);
  inOrder.set(parent, order);
  return order;
}

function siblingIds(position: NodePosition): string[] {
  return childrenOf(position.node).flatMap(node => (isJsonObject(node) ? [idOf(node) ?? ''] : []));
}

/** Differences below two values: objects member by member, everything else as a whole. */
function fieldChanges(
  nodeId: string,
  before: Json | undefined,
  after: Json | undefined,
  path = '',
): Difference[] {
  const [old, current] = [membersOf(before), membersOf(after)];
  if (old === undefined || current === undefined) return compare(nodeId, path, before, after);
  const names = [...new Set([...Object.keys(old), ...Object.keys(current)])];
  // An added or removed empty object has no members to report.
  if (names.length === 0) return compare(nodeId, path, before, after);
  return names.flatMap(name => {
    const field = path === '' ? name : `${path}.${name}`;
    return fieldChanges(nodeId, ownMember(old, name), ownMember(current, name), field);
  });
}

function membersOf(value: Json | undefined): JsonObject | undefined {
  if (value === undefined) return {};
  return isJsonObject(value) ? value : undefined;
}

function compare(
  nodeId: string,
  field: string,
  before: Json | undefined,
  after: Json | undefined,
): Difference[] {
  if (jsonEqual(before, after)) return [];
  const kind: Difference['kind'] =
    before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
  return [defined({ kind, nodeId, field: field === '' ? undefined : field, from: before, to: after })];
}

function titleOf(position: NodePosition): { title?: string } {
  const config = ownMember(position.node, 'config');
  const title = isJsonObject(config) ? ownMember(config, 'title') : undefined;
  return typeof title === 'string' ? { title } : {};
}

/** `body[2]`, `scores-block.content`, or `$root`. */
function parentPath(position: NodePosition): string {
  if (position.parent === undefined) return '$root';
  const parent = idOf(position.parent.node) ?? '';
  if (position.slot === 'content') return `${parent}.${position.parent.type?.contentField}`;
  return `${parent}[${childrenOf(position.parent.node).indexOf(position.node)}]`;
}
