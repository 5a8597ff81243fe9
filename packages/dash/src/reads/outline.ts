import { defined } from '@msg/foundation/json';
import { lookupItem } from '../catalog/reference.ts';
import type { Catalog } from '../catalog/types.ts';
import { idOf } from '../changeset/node-tree.ts';
import { isJsonObject, type Json, type JsonObject, ownMember } from '../document/json.ts';
import { DashError, type ErrorEnvelope } from '../errors.ts';
import { nodesOf, type ResolvedNode } from '../resolve/tree.ts';
import { requireMatchingId } from '../store/stored-document.ts';
import type { DocumentEngine } from './document-engine.ts';
import { autoPlacements, gridText, placementText } from './layout-text.ts';

/** One node of an outline with those below it. */
export interface OutlineNode {
  readonly id: string;
  readonly type: string;
  readonly title?: string;
  readonly container: boolean;
  /** As stored; `auto col 2, row 1` for a child that the grid places. */
  readonly placement?: string;
  /** Of a region with a grid of its own: `columns 2:1, gap 1`. */
  readonly grid?: string;
  /** The connection that the item is bound to. */
  readonly connection?: string;
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
  const { parts, problem } = partsOf(id, document, engine);
  return defined({
    id,
    revision,
    document: {
      variables: textsOf(ownMember(document, 'variables'), 'name').sort(),
      connections: textsOf(ownMember(document, 'connections'), 'id'),
      theme: ownMember(document, 'theme') !== undefined,
    },
    root: outlineNode(ownMember(document, 'root'), engine.catalog, parts),
    problem,
  });
}

/** What the resolution adds to the stored nodes, by node id. */
interface ResolvedParts {
  readonly nodes: ReadonlyMap<string, ResolvedNode>;
  readonly placements: ReadonlyMap<string, string>;
}

/** Undefined parts when the document does not resolve. */
function partsOf(
  id: string,
  document: JsonObject,
  engine: DocumentEngine,
): { readonly parts?: ResolvedParts; readonly problem?: ErrorEnvelope } {
  try {
    const manifest = ownMember(document, 'manifest');
    const manifestId = isJsonObject(manifest) ? idOf(manifest) : undefined;
    requireMatchingId(id, { text: '', document, manifestId: manifestId ?? '' });
    const nodes = [...nodesOf(engine.resolve(document).root)];
    return {
      parts: {
        nodes: new Map(nodes.map(node => [node.id, node])),
        placements: new Map(nodes.flatMap(autoPlacements)),
      },
    };
  } catch (error) {
    if (!(error instanceof DashError)) throw error;
    return { problem: error.toEnvelope() };
  }
}

function outlineNode(
  stored: Json | undefined,
  catalog: Catalog,
  parts: ResolvedParts | undefined,
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
  const resolved = parts?.nodes.get(id);
  const shown = resolved?.config ?? (parts === undefined ? config : {});
  const metadata = memberObject(node, 'metadata');
  return defined({
    id,
    type: type?.name ?? shortName(linked.ref),
    title: textOf(ownMember(shown, 'title')),
    container: type === undefined ? stores !== undefined : type.behavior.role === 'region',
    placement: placementText(ownMember(node, 'placement')) ?? parts?.placements.get(id),
    grid: type?.behavior.layout === 'grid' ? gridText(shown) : undefined,
    connection: textOf(
      resolved === undefined ? ownMember(config, 'connectionId') : resolved.binding?.connectionId,
    ),
    metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
    children: below.map(child => outlineNode(child, catalog, parts)),
  });
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function shortName(ref: string): string {
  const [, named] = /\/([^/]+)\/\d+\.\d+\.\d+$/.exec(ref) ?? [];
  return named ?? ref.split('@')[0] ?? ref;
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
