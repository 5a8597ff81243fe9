import { defined } from '@msg/foundation/json';
import type { NodeTypes } from '../catalog/node-types.ts';
import { jsonEqual } from '../document/canonical.ts';
import { isJsonObject, type Json, type JsonObject, ownMember } from '../document/json.ts';
import { childrenOf, idOf, type NodePosition, NodeTree } from './node-tree.ts';
import { SCOPE_MEMBERS } from './target.ts';

const LONGEST_TEXT = 200;
const MOST_CHANGES = 200;

/**
 * One difference between two states of a document. `nodeId` is a node's id or a scope; `field` is a path within it with
 * dots (`config.title`, `placement.colStart`; of `$variables` and `$connections` the name or id of the entry). A move
 * gives the holders as `from` and `to`. Texts are cut at 200 characters.
 */
export interface Change {
  readonly kind: 'added' | 'removed' | 'moved' | 'changed';
  readonly nodeId: string;
  readonly title?: string;
  readonly field?: string;
  readonly from?: Json;
  readonly to?: Json;
}

/** The changes that a changeset made, at most 200. */
export interface ChangeSummary {
  readonly changes: readonly Change[];
  /** Present when there were more than 200. */
  readonly changesTruncated?: true;
}

/** The semantic summary of an edit, in document order, scopes first (dashboard details 13.3). */
export function changesBetween(before: JsonObject, after: JsonObject, types: NodeTypes): ChangeSummary {
  const [old, current] = [new NodeTree(before, types), new NodeTree(after, types)];
  const changes = [...scopeChanges(before, after), ...nodeChanges(old, current)];
  const shown = changes.slice(0, MOST_CHANGES).map(withShortTexts);
  return changes.length <= MOST_CHANGES ? { changes: shown } : { changes: shown, changesTruncated: true };
}

/** Keys and ids are truncated too, because every change below repeats them. */
function withShortTexts(change: Change): Change {
  const cut = Object.entries(change).map(([member, value]) => [
    member,
    typeof value === 'string' ? value.slice(0, LONGEST_TEXT) : value,
  ]);
  return Object.fromEntries(cut) as Change;
}

function scopeChanges(before: JsonObject, after: JsonObject): Change[] {
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
): Change[] {
  const old = entriesOf(ownMember(before, SCOPE_MEMBERS[scope]), key);
  const current = entriesOf(ownMember(after, SCOPE_MEMBERS[scope]), key);
  const kept = [...current].flatMap(([name, value]) => compare(scope, name, old.get(name), value));
  const removed = [...old].filter(([name]) => !current.has(name));
  return [...removed.flatMap(([name, value]) => compare(scope, name, value, undefined)), ...kept];
}

function entriesOf(list: Json | undefined, key: string): Map<string, Json> {
  if (!Array.isArray(list)) return new Map();
  return new Map(list.map((entry, index) => [textMember(entry, key) ?? String(index), entry]));
}

function textMember(value: Json, key: string): string | undefined {
  const text = isJsonObject(value) ? ownMember(value, key) : undefined;
  return typeof text === 'string' ? text : undefined;
}

function nodeChanges(old: NodeTree, current: NodeTree): Change[] {
  const comparison: Comparison = { old, current, removed: removedByParent(old, current), kept: new Map() };
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
  readonly kept: Map<NodePosition, ReadonlySet<string>>;
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

function changesAt(position: NodePosition, comparison: Comparison): Change[] {
  const { old, current } = comparison;
  const id = idOf(position.node);
  if (id === undefined || current.find(id) !== position) return [];
  const former = old.find(id);
  if (former !== undefined) return changesOfNode(id, former, position, comparison);
  // An added subtree is reported by its top node only.
  const isTop = position.parent === undefined || isKnown(old, position.parent);
  return isTop ? [{ kind: 'added', nodeId: id, ...titleOf(position), to: parentPath(position) }] : [];
}

function changesOfNode(
  id: string,
  former: NodePosition,
  position: NodePosition,
  comparison: Comparison,
): Change[] {
  const title = titleOf(position);
  const moved: Change[] = hasMoved(former, position, comparison)
    ? [{ kind: 'moved', nodeId: id, ...title, from: parentPath(former), to: parentPath(position) }]
    : [];
  const fields = fieldChanges(id, ownFields(former), ownFields(position)).map(change => ({
    ...change,
    ...title,
  }));
  return [...moved, ...fields, ...(comparison.removed.get(former) ?? []).map(removal)];
}

function removal(position: NodePosition): Change {
  return {
    kind: 'removed',
    nodeId: idOf(position.node) ?? '',
    ...titleOf(position),
    from: parentPath(position),
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
  { old, current, kept }: Comparison,
): ReadonlySet<string> {
  const cached = kept.get(parent);
  if (cached !== undefined) return cached;
  const before = siblingIds(former).filter(id => current.find(id)?.parent === parent);
  const after = siblingIds(parent).filter(id => old.find(id)?.parent === former);
  const order = longestCommonOrder(before, after);
  kept.set(parent, order);
  return order;
}

function siblingIds(position: NodePosition): string[] {
  return childrenOf(position.node).flatMap(node => (isJsonObject(node) ? [idOf(node) ?? ''] : []));
}

/**
 * Ids that keep their order: a longest increasing subsequence, so that only moved nodes are reported, not their
 * neighbours.
 */
function longestCommonOrder(before: readonly string[], after: readonly string[]): Set<string> {
  const rank = new Map(before.map((id, index) => [id, index]));
  const tails: { rank: number; chain: Chain }[] = [];
  for (const id of after) {
    const value = rank.get(id);
    if (value === undefined) continue;
    const at = firstNotBelow(tails, value);
    tails[at] = { rank: value, chain: { id, previous: tails[at - 1]?.chain } };
  }
  const kept = new Set<string>();
  for (let link = tails.at(-1)?.chain; link !== undefined; link = link.previous) kept.add(link.id);
  return kept;
}

/** Index of the first tail whose rank is at least `value`; the ranks ascend. */
function firstNotBelow(tails: readonly { readonly rank: number }[], value: number): number {
  let [low, high] = [0, tails.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((tails[middle]?.rank ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface Chain {
  readonly id: string;
  readonly previous: Chain | undefined;
}

/** Differences below two values: objects member by member, everything else as a whole. */
function fieldChanges(
  nodeId: string,
  before: Json | undefined,
  after: Json | undefined,
  path = '',
): Change[] {
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

function compare(nodeId: string, field: string, before: Json | undefined, after: Json | undefined): Change[] {
  if (jsonEqual(before, after)) return [];
  const kind: Change['kind'] = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
  const from = before === undefined ? undefined : shortened(before);
  const to = after === undefined ? undefined : shortened(after);
  return [defined({ kind, nodeId, field: field === '' ? undefined : field, from, to })];
}

/** The start of the text of a long list or object. */
function shortened(value: Json): Json {
  if (typeof value === 'string') return value;
  const text = JSON.stringify(value);
  return text.length <= LONGEST_TEXT ? value : text.slice(0, LONGEST_TEXT);
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
