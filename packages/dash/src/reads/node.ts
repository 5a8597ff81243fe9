import { defined } from '@msg/foundation/json';
import { nearest } from '@msg/foundation/suggest';
import type { Surface } from '../catalog/node-types.ts';
import type { Catalog } from '../catalog/types.ts';
import { contentOf, idOf, NodeTree } from '../changeset/node-tree.ts';
import { didYouMean, display } from '../document/display.ts';
import { isJsonObject, type Json, type JsonObject, ownMember } from '../document/json.ts';
import { DashError } from '../errors.ts';
import type { Override } from '../resolve/overrides.ts';
import { nodesOf } from '../resolve/tree.ts';
import type { DocumentEngine } from './document-engine.ts';

interface SurfaceKey {
  readonly key: string;
  readonly type: string;
}

/** Answer of `dash_get_node` (dashboard details 13.3). */
export interface NodeAnswer {
  readonly id: string;
  readonly nodeId: string;
  readonly revision?: string;
  readonly subtree: Json;
  readonly surface: readonly SurfaceKey[];
  readonly surfacePath?: string;
  readonly ownSurface?: readonly SurfaceKey[];
}

const SCOPES: Readonly<Record<string, string>> = {
  $manifest: 'manifest',
  $theme: 'theme',
  $variables: 'variables',
  $connections: 'connections',
};

/**
 * A stored node or scope with its editable surface; the document need not resolve.
 * @throws DashError CHANGESET_TARGET_NOT_FOUND `{id, nodeId, known}`.
 */
export function getNode(
  id: string,
  document: JsonObject,
  nodeId: string,
  engine: DocumentEngine,
  revision?: string,
): NodeAnswer {
  const head = defined({ id, nodeId, revision });
  if (Object.hasOwn(SCOPES, nodeId)) return { ...head, ...scopeAnswer(document, nodeId, engine.catalog) };
  const tree = new NodeTree(document, engine.types);
  const position = nodeId === '$root' ? tree.root : tree.find(nodeId);
  if (position === undefined) throw unknownNode(id, nodeId, tree.ids());
  const ownKeys = keysOf(position.type?.surface);
  const base = idOf(position.node) ?? nodeId;
  if (position.type?.role !== 'wrapper')
    return { ...head, subtree: position.node, ...withPath(ownKeys, `/${base}/config`) };
  const content = contentOf(position);
  const held = tree.positionOf(content);
  // Content without an id is still reached through its wrapper.
  const heldId = isJsonObject(content) ? idOf(content) : undefined;
  const prefix = heldId ?? `${base}/config/${position.type.contentField}`;
  const surface = withPath(keysOf(held?.type?.surface), `/${prefix}/config`);
  return { ...head, subtree: position.node, ...surface, ownSurface: ownKeys };
}

/** Answer of `dash_get_node` for a resolved node: as a page shows it, without children and surface. */
export interface ResolvedNodeAnswer {
  readonly id: string;
  readonly nodeId: string;
  readonly revision?: string;
  readonly resolved: JsonObject;
}

/**
 * One node of the resolved tree (review details 7.1).
 * @throws DashError CHANGESET_TARGET_NOT_FOUND `{id, nodeId, known}`, or what the resolver reports.
 */
export function getResolvedNode(
  id: string,
  document: JsonObject,
  nodeId: string,
  engine: DocumentEngine,
  { revision, overrides }: { readonly revision?: string; readonly overrides?: readonly Override[] },
): ResolvedNodeAnswer {
  const tree = engine.resolve(document, defined({ overrides }));
  const nodes = [...nodesOf(tree.root)];
  const node = nodeId === '$root' ? tree.root : nodes.find(candidate => candidate.id === nodeId);
  if (node === undefined) {
    const ids = nodes.map(candidate => candidate.id);
    throw Object.hasOwn(SCOPES, nodeId) ? unresolvedScope(id, nodeId, ids) : unknownNode(id, nodeId, ids);
  }
  const { children: _children, type, binding, ...parts } = node;
  const { contract: _contract, ...bound } = binding ?? {};
  const resolved = { ...parts, type: type.name, ...defined({ binding: binding && bound }) };
  // A resolved node without its children is JSON.
  return { ...defined({ id, nodeId, revision }), resolved: resolved as unknown as JsonObject };
}

/** Scopes are of the stored document alone. */
function unresolvedScope(id: string, nodeId: string, ids: readonly string[]): DashError {
  const message = `Scope "${nodeId}" does not exist in a resolved tree; ask without "resolved".`;
  return new DashError('CHANGESET_TARGET_NOT_FOUND', message, { id, nodeId, known: nearest(nodeId, ids) });
}

function unknownNode(id: string, nodeId: string, ids: readonly string[]): DashError {
  const suggestions = nearest(nodeId, [...ids, ...Object.keys(SCOPES), '$root']);
  const message = `Node "${display(nodeId)}" does not exist${didYouMean(suggestions)}`;
  return new DashError('CHANGESET_TARGET_NOT_FOUND', message, { id, nodeId, known: suggestions });
}

function scopeAnswer(document: JsonObject, scope: string, catalog: Catalog) {
  const subtree = ownMember(document, SCOPES[scope] ?? '') ?? null;
  const entries = scope === '$manifest' || scope === '$theme' ? catalog.scopeSurfaces[scope] : [];
  return {
    subtree,
    ...withPath(
      entries.map(({ field, type }) => ({ key: field, type })),
      `/${scope}`,
    ),
  };
}

function withPath(surface: readonly SurfaceKey[], surfacePath: string) {
  return surface.length === 0 ? { surface } : { surface, surfacePath };
}

function keysOf(surface: Surface | undefined): SurfaceKey[] {
  return [...(surface ?? [])].map(([key, { type }]) => ({ key, type }));
}
