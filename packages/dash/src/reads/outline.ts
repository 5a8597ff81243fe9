import { defined } from '@msg/foundation/json';
import { lookupItem } from '../catalog/reference.ts';
import type { Catalog } from '../catalog/types.ts';
import { idOf } from '../changeset/node-tree.ts';
import { isJsonObject, type Json, type JsonObject, ownMember } from '../document/json.ts';
import { DashError, type ErrorEnvelope } from '../errors.ts';
import type { ResolvedNode } from '../resolve/tree.ts';
import { requireMatchingId } from '../store/stored-document.ts';
import type { DocumentEngine } from './document-engine.ts';

/** One node of an outline with those below it. */
export interface OutlineNode {
  readonly id: string;
  readonly type: string;
  readonly title?: string;
  readonly container: boolean;
  readonly placement?: string;
  readonly metadata?: JsonObject;
  readonly children: readonly OutlineNode[];
}

/** Answer of `dash_get_outline` (dashboard details 13.3). */
export interface Outline {
  readonly id: string;
  readonly revision?: string;
  readonly document: {
    readonly variables: string[];
    readonly connections: string[];
    readonly theme: boolean;
  };
  readonly root: OutlineNode;
  /** Why the document does not resolve; the outline then shows the stored document. */
  readonly problem?: ErrorEnvelope;
}

/** Structure of a document without its configs, also of a document that does not resolve, so that it can be repaired. */
export function getOutline(
  id: string,
  document: JsonObject,
  engine: DocumentEngine,
  revision?: string,
): Outline {
  const { titles, problem } = titlesOf(id, document, engine);
  return defined({
    id,
    revision,
    document: {
      variables: textsOf(ownMember(document, 'variables'), 'name').sort(),
      connections: textsOf(ownMember(document, 'connections'), 'id'),
      theme: ownMember(document, 'theme') !== undefined,
    },
    root: outlineNode(ownMember(document, 'root'), engine.catalog, titles),
    problem,
  });
}

/** Titles by node id, interpolated; undefined when the document does not resolve. */
function titlesOf(id: string, document: JsonObject, engine: DocumentEngine) {
  try {
    const manifest = ownMember(document, 'manifest');
    const manifestId = isJsonObject(manifest) ? idOf(manifest) : undefined;
    requireMatchingId(id, { text: '', document, manifestId: manifestId ?? '' });
    const titles = new Map<string, Json | undefined>();
    const collect = (node: ResolvedNode): void => {
      titles.set(node.id, node.config?.['title']);
      for (const child of node.children ?? []) collect(child);
    };
    collect(engine.resolve(document).root);
    return { titles };
  } catch (error) {
    if (!(error instanceof DashError)) throw error;
    return { problem: error.toEnvelope() };
  }
}

function outlineNode(
  stored: Json | undefined,
  catalog: Catalog,
  titles: Map<string, Json | undefined> | undefined,
): OutlineNode {
  const node = isJsonObject(stored) ? stored : {};
  const id = idOf(node) ?? '';
  const linked = lookupItem(catalog, node);
  const type = 'type' in linked ? linked.type : undefined;
  const config = memberObject(node, 'config');
  const stores = ownMember(node, 'children');
  const content =
    type?.behavior.contentField === undefined ? undefined : ownMember(config, type.behavior.contentField);
  const below = [...(Array.isArray(stores) ? stores : []), ...(isJsonObject(content) ? [content] : [])];
  const title = titles === undefined ? ownMember(config, 'title') : titles.get(id);
  const placement = placementText(ownMember(node, 'placement'));
  const metadata = memberObject(node, 'metadata');
  return defined({
    id,
    type: type?.name ?? shortName(linked.ref),
    title: typeof title === 'string' ? title : undefined,
    container: type === undefined ? stores !== undefined : type.behavior.role === 'region',
    placement,
    metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
    children: below.map(child => outlineNode(child, catalog, titles)),
  });
}

function shortName(ref: string): string {
  const [, named] = /\/([^/]+)\/\d+\.\d+\.\d+$/.exec(ref) ?? [];
  return named ?? ref.split('@')[0] ?? ref;
}

function placementText(placement: Json | undefined): string | undefined {
  if (placement === undefined) return undefined;
  if (!isJsonObject(placement)) return 'placed ()';
  const keys = Object.keys(placement);
  if (keys.length === 0) return undefined;
  const coordinates = ['colStart', 'colSpan', 'rowStart', 'rowSpan'];
  const legal = keys.every(key => coordinates.includes(key) && typeof placement[key] === 'number');
  if (!legal) return `placed (${keys.join(', ')})`;
  const axis = (name: string, start?: Json, span?: Json) =>
    start === undefined && span === undefined
      ? []
      : [`${name} ${start ?? '?'}${span === undefined ? '' : `+${span}`}`];
  const { colStart, colSpan, rowStart, rowSpan } = placement;
  return [...axis('col', colStart, colSpan), ...axis('row', rowStart, rowSpan)].join(', ');
}

function memberObject(object: JsonObject, key: string): JsonObject {
  const value = ownMember(object, key);
  return isJsonObject(value) ? value : {};
}

function textsOf(list: Json | undefined, member: string): string[] {
  const items = Array.isArray(list) ? list : [];
  return items
    .map(item => (isJsonObject(item) ? ownMember(item, member) : undefined))
    .filter(text => typeof text === 'string');
}
