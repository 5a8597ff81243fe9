import { jsonEqual } from '#src/document/canonical.ts';
import { isJsonObject, type Json, type JsonObject, ownMember } from '#src/document/json.ts';
import { childrenOf, idOf, NodeTree, type Place } from './node-tree.ts';
import type { NodeTypes } from './node-types.ts';
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

/** Long keys and ids too: one of them stands in every change below it. */
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

/** Declarations compared by their name: each is one change, whatever of it changed. */
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
  const comparison: Comparison = { old, current, removed: removedByHolder(old, current), kept: new Map() };
  const rootIsGone = old.places.length > 0 && !isKnown(current, old.root);
  const changes = current.places.flatMap(place => changesOfPlace(place, comparison));
  return rootIsGone ? [removal(old.root), ...changes] : changes;
}

/** Two trees under comparison, with what is worked out once per holder. */
interface Comparison {
  readonly old: NodeTree;
  readonly current: NodeTree;
  /** Former nodes that are gone, by the node that held them. */
  readonly removed: ReadonlyMap<Place | undefined, readonly Place[]>;
  /** Ids of a holder's children that kept their order. */
  readonly kept: Map<Place, ReadonlySet<string>>;
}

function removedByHolder(old: NodeTree, current: NodeTree): Map<Place | undefined, Place[]> {
  return Map.groupBy(
    old.places.filter(place => !isKnown(current, place)),
    place => place.parent,
  );
}

function isKnown(tree: NodeTree, place: Place): boolean {
  return tree.find(idOf(place.node) ?? '') !== undefined;
}

function changesOfPlace(place: Place, comparison: Comparison): Change[] {
  const { old, current } = comparison;
  const id = idOf(place.node);
  if (id === undefined || current.find(id) !== place) return [];
  const former = old.find(id);
  if (former !== undefined) return changesOfNode(id, former, place, comparison);
  // Of an added subtree only its top is told.
  const isTop = place.parent === undefined || isKnown(old, place.parent);
  return isTop ? [{ kind: 'added', nodeId: id, ...titleOf(place), to: whereabouts(place) }] : [];
}

function changesOfNode(id: string, former: Place, place: Place, comparison: Comparison): Change[] {
  const title = titleOf(place);
  const moved: Change[] = hasMoved(former, place, comparison)
    ? [{ kind: 'moved', nodeId: id, ...title, from: whereabouts(former), to: whereabouts(place) }]
    : [];
  const fields = fieldChanges(id, ownFields(former), ownFields(place)).map(change => ({
    ...change,
    ...title,
  }));
  return [...moved, ...fields, ...(comparison.removed.get(former) ?? []).map(removal)];
}

function removal(place: Place): Change {
  return { kind: 'removed', nodeId: idOf(place.node) ?? '', ...titleOf(place), from: whereabouts(place) };
}

/** A node without what it holds: its children and its content have changes of their own. */
function ownFields(place: Place): JsonObject {
  const { children: _children, id: _id, ...fields } = place.node;
  const config = ownMember(fields, 'config');
  const content = place.type?.contentField;
  if (!isJsonObject(config) || content === undefined || !isJsonObject(config[content])) return fields;
  const { [content]: _content, ...own } = config;
  return { ...fields, config: own };
}

/** Moved to another holder, or out of the order in which the holder's remaining nodes stood. */
function hasMoved(former: Place, place: Place, comparison: Comparison): boolean {
  if (place.parent === undefined || former.parent === undefined) return place.parent !== former.parent;
  if (idOf(place.parent.node) !== idOf(former.parent.node)) return true;
  if (place.slot === 'content') return false;
  return !keptInOrder(former.parent, place.parent, comparison).has(idOf(place.node) ?? '');
}

function keptInOrder(former: Place, holder: Place, { old, current, kept }: Comparison): ReadonlySet<string> {
  const known = kept.get(holder);
  if (known !== undefined) return known;
  const before = siblingIds(former).filter(id => current.find(id)?.parent === holder);
  const after = siblingIds(holder).filter(id => old.find(id)?.parent === former);
  const order = longestCommonOrder(before, after);
  kept.set(holder, order);
  return order;
}

function siblingIds(place: Place): string[] {
  return childrenOf(place.node).flatMap(node => (isJsonObject(node) ? [idOf(node) ?? ''] : []));
}

/** Ids that keep their order: a longest increasing subsequence, so that a move names what moved and not its neighbours. */
function longestCommonOrder(before: readonly string[], after: readonly string[]): Set<string> {
  const rank = new Map(before.map((id, index) => [id, index]));
  const tails: { rank: number; chain: Chain }[] = [];
  for (const id of after) {
    const value = rank.get(id);
    if (value === undefined) continue;
    let at = tails.length;
    while (at > 0 && (tails[at - 1]?.rank ?? 0) >= value) at -= 1;
    tails[at] = { rank: value, chain: { id, previous: tails[at - 1]?.chain } };
  }
  const kept = new Set<string>();
  for (let link = tails.at(-1)?.chain; link !== undefined; link = link.previous) kept.add(link.id);
  return kept;
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
  // An empty object that comes or goes has no members to tell of.
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
  const kind = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
  const from = before === undefined ? {} : { from: shortened(before) };
  const to = after === undefined ? {} : { to: shortened(after) };
  return [{ kind, nodeId, ...(field === '' ? {} : { field }), ...from, ...to }];
}

/** A long list or object as the start of its text. */
function shortened(value: Json): Json {
  if (typeof value === 'string') return value;
  const text = JSON.stringify(value);
  return text.length <= LONGEST_TEXT ? value : text.slice(0, LONGEST_TEXT);
}

function titleOf(place: Place): { title?: string } {
  const config = ownMember(place.node, 'config');
  const title = isJsonObject(config) ? ownMember(config, 'title') : undefined;
  return typeof title === 'string' ? { title } : {};
}

/** `body[2]`, `scores-block.content`, or `$root`. */
function whereabouts(place: Place): string {
  if (place.parent === undefined) return '$root';
  const holder = idOf(place.parent.node) ?? '';
  if (place.slot === 'content') return `${holder}.${place.parent.type?.contentField}`;
  return `${holder}[${childrenOf(place.parent.node).indexOf(place.node)}]`;
}
