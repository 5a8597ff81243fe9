import type { NodeTypes } from '../catalog/node-types.ts';
import { jsonEqual } from '../document/canonical.ts';
import { escapeControls } from '../document/display.ts';
import { isJsonObject, type Json, type JsonObject, ownMember } from '../document/json.ts';
import { maskedDifference } from './credential-mask.ts';
import { entryParts } from './declaration-words.ts';
import { type Difference, differencesBetween } from './differences.ts';
import type { WordPart } from './differing-words.ts';
import { leavesBelow, type NodePosition } from './node-tree.ts';
import { labelOf, nounOf, placeOf } from './node-words.ts';
import { capital, display, plain, quotedTransition, transition } from './phrases.ts';

/** Items that a sentence about a container names. */
const MOST_ITEMS = 3;

/** One sentence about one or more changes. */
export interface Sentence {
  /** The scope or the node that it is about. */
  readonly nodeId: string;
  readonly kind: Difference['kind'];
  readonly text: string;
  readonly parts: readonly WordPart[];
}

/**
 * What happened between two states of a document, in words, for the review page, the command line and the subject of a
 * commit alike (review details 3.2). Scopes come first, then nodes in document order; every difference is in a sentence.
 */
export function wordsBetween(before: JsonObject, after: JsonObject, types: NodeTypes): Sentence[] {
  const differences = differencesBetween(before, after, types);
  const sentences: Sentence[] = [];
  const told = new Set<Difference>();
  for (const difference of differences) {
    if (told.has(difference)) continue;
    const together = toldWith(difference, differences);
    for (const other of together) told.add(other);
    const parts = partsOf(together.map(maskedDifference), after, types).map(part => ({
      ...part,
      text: escapeControls(part.text),
    }));
    sentences.push({
      nodeId: difference.nodeId,
      kind: kindOf(difference, together.length > 1),
      parts,
      text: textOf(parts),
    });
  }
  return sentences;
}

/** What a sentence tells of: another cell is a move, a field that comes or goes is a change of its node or scope. */
function kindOf(difference: Difference, isTogether: boolean): Difference['kind'] {
  const { kind, field } = difference;
  if (field?.startsWith('placement.') === true) return 'moved';
  const isField = field !== undefined && !isEntry(difference);
  return (isTogether && kind !== 'moved') || isField ? 'changed' : kind;
}

/** The first sentence as the subject of a commit, and how many more there are; at most 200 characters. */
export function subjectOf(sentences: readonly Sentence[]): string | undefined {
  const [first, ...others] = sentences;
  if (first === undefined) return undefined;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  const most = 200 - more.length;
  const text = first.text.length <= most ? first.text : `${first.text.slice(0, most - 1).toWellFormed()}…`;
  return text + more;
}

function textOf(parts: readonly WordPart[]): string {
  return parts.map(({ text }) => text).join('');
}

/** The differences that one sentence tells: both halves of a renaming, all coordinates of one placement. */
function toldWith(difference: Difference, all: readonly Difference[]): readonly Difference[] {
  const { nodeId, field = '' } = difference;
  if (isEntry(difference) && difference.kind === 'removed') {
    const renamed = all.find(other => isRenaming(difference, other));
    return renamed === undefined ? [difference] : [difference, renamed];
  }
  if (!field.startsWith('placement.')) return [difference];
  return all.filter(other => other.nodeId === nodeId && other.field?.startsWith('placement.') === true);
}

function isEntry({ nodeId }: Difference): boolean {
  return nodeId === '$variables' || nodeId === '$connections';
}

/** A removed and an added declaration with equal content but for the name. */
function isRenaming(removed: Difference, added: Difference): boolean {
  if (added.kind !== 'added' || added.nodeId !== removed.nodeId) return false;
  const key = removed.nodeId === '$variables' ? 'name' : 'id';
  return jsonEqual(without(removed.from, key), without(added.to, key));
}

function without(value: Json | undefined, key: string): Json | undefined {
  if (!isJsonObject(value)) return undefined;
  const { [key]: _, ...rest } = value;
  return rest;
}

function partsOf(together: readonly Difference[], after: JsonObject, types: NodeTypes): WordPart[] {
  const [first, second] = together;
  if (first === undefined) return [];
  if (isEntry(first)) return entryParts(first, second, after);
  if (first.nodeId.startsWith('$') && first.position === undefined && first.former === undefined) {
    return scopeParts(first);
  }
  if (first.field?.startsWith('placement.') === true) return placementParts(first);
  return first.field === undefined ? nodeParts(first, types) : fieldParts(first);
}

const SCOPE_NOUNS: Readonly<Record<string, string>> = { $manifest: 'the dashboard', $theme: 'the theme' };

function scopeParts({ nodeId, field = '', from, to, kind }: Difference): WordPart[] {
  const noun = SCOPE_NOUNS[nodeId] ?? nodeId;
  if (nodeId === '$manifest' && field === 'title' && kind === 'changed') {
    return [...plain('Renamed the dashboard '), ...quotedTransition(from, to)];
  }
  return [...plain(`${capital(wordsOfField(field))} of ${noun}: `), ...transition(from, to)];
}

function nodeParts({ kind, position, former, nodeId }: Difference, types: NodeTypes): WordPart[] {
  const at = position ?? former;
  if (at === undefined) return plain(`${capital(kind)} ${nodeId}`);
  const name = `${nounOf(at)} ${labelOf(at)}`;
  if (kind === 'added') return plain(`Added ${name}${sourceOf(at)} to ${placeOf(at)}${holding(at, types)}`);
  if (kind === 'removed') return plain(`Removed ${name} from ${placeOf(at)}${holding(at, types)}`);
  const [old, next] = [former === undefined ? '' : orderOf(former), orderOf(at)];
  return [
    ...plain(`Moved ${name} from `),
    { text: old, mark: 'was' },
    ...plain(' to '),
    { text: next, mark: 'is' },
  ];
}

/** `, with metric “Errors”, table “Routes” and 2 more`: the items that come or go with a container. */
function holding(position: NodePosition, types: NodeTypes): string {
  const items = leavesBelow(position, types);
  if (items.length === 0) return '';
  const named = items.slice(0, MOST_ITEMS).map(item => `${nounOf(item)} ${labelOf(item)}`);
  const more = items.length > MOST_ITEMS ? [`${items.length - MOST_ITEMS} more`] : [];
  return `, with ${listed([...named, ...more])}`;
}

/** `a, b and c`. */
function listed(texts: readonly string[]): string {
  const before = texts.slice(0, -1).join(', ');
  return before === '' ? texts.join('') : `${before} and ${texts.at(-1)}`;
}

function sourceOf(position: NodePosition): string {
  const config = itemConfig(position);
  const connection = config === undefined ? undefined : ownMember(config, 'connectionId');
  return typeof connection === 'string' ? ` from ${connection}` : '';
}

/** The config of the item that people see: of a block, that of its content. */
function itemConfig({ node, type }: NodePosition): JsonObject | undefined {
  const config = ownMember(node, 'config');
  if (!isJsonObject(config) || type?.contentField === undefined)
    return isJsonObject(config) ? config : undefined;
  const content = ownMember(config, type.contentField);
  const inner = isJsonObject(content) ? ownMember(content, 'config') : undefined;
  return isJsonObject(inner) ? inner : undefined;
}

function orderOf(position: NodePosition): string {
  if (position.slot !== 'child' || position.parent === undefined) return placeOf(position);
  const children = ownMember(position.parent.node, 'children');
  const index = Array.isArray(children) ? children.indexOf(position.node) : 0;
  return `${placeOf(position)}, position ${index + 1}`;
}

function placementParts({ position, former }: Difference): WordPart[] {
  const at = position ?? former;
  if (at === undefined) return [];
  const [old, next] = [former, position].map(state => cellOf(state));
  return [
    ...plain(`Moved ${labelOf(at)} from `),
    { text: old ?? '', mark: 'was' },
    ...plain(' to '),
    { text: next ?? '', mark: 'is' },
  ];
}

function cellOf(position: NodePosition | undefined): string {
  const placement = position === undefined ? undefined : ownMember(position.node, 'placement');
  if (!isJsonObject(placement) || Object.keys(placement).length === 0) return 'the first free cell';
  const start = (name: string): string => display(ownMember(placement, name) ?? 1);
  const span = (name: string, noun: string): string => {
    const value = ownMember(placement, name);
    return value === undefined || value === 1 ? '' : ` over ${display(value)} ${noun}`;
  };
  return `row ${start('rowStart')}${span('rowSpan', 'rows')}, column ${start('colStart')}${span('colSpan', 'columns')}`;
}

function fieldParts({ field = '', from, to, position, former, kind }: Difference): WordPart[] {
  const at = position ?? former;
  if (at === undefined) return [];
  const label = labelOf(former ?? at);
  if (field === 'config.title' && kind === 'changed')
    return [...plain('Renamed '), ...quotedTransition(from, to)];
  if (field === 'type' || field === '$ref')
    return [...plain(`Changed the type of ${label}: `), ...transition(from, to)];
  return [...plain(`${capital(wordsOfField(field))} of ${label}: `), ...transition(from, to)];
}

/** `config.grid.columns` as `grid columns`, `config.xLabel` as `x label`, `metadata.owner` as `note “owner”`. */
function wordsOfField(field: string): string {
  if (field.startsWith('metadata.')) return `note “${field.slice('metadata.'.length)}”`;
  const path = field.replace(/^config\./, '').replace(/^query\.(?:expr|text)$/, 'query');
  return path
    .replaceAll('.', ' ')
    .replace(/(\p{Ll})(\p{Lu})/gu, (_all, low, high) => `${low} ${high.toLowerCase()}`);
}
