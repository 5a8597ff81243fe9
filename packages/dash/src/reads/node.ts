import { nodeTypes } from '#src/catalog/reference.ts';
import type { Catalog } from '#src/catalog/types.ts';
import { contentOf, idOf, NodeTree } from '#src/changeset/node-tree.ts';
import type { Surface } from '#src/changeset/node-types.ts';
import { isJsonObject, type Json, type JsonObject, ownMember } from '#src/document/json.ts';
import { nearest } from '#src/document/nearest.ts';
import { DashError } from '#src/errors.ts';

export interface SurfaceKey {
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
 *
 * @throws DashError CHANGESET_TARGET_NOT_FOUND `{id, nodeId, known}`.
 */
export function getNode(
  id: string,
  document: JsonObject,
  nodeId: string,
  catalog: Catalog,
  revision?: string,
): NodeAnswer {
  const head = { id, nodeId, ...(revision === undefined ? {} : { revision }) };
  if (Object.hasOwn(SCOPES, nodeId)) return { ...head, ...scopeAnswer(document, nodeId, catalog) };
  const tree = new NodeTree(document, nodeTypes(catalog));
  const place = nodeId === '$root' ? tree.root : tree.find(nodeId);
  if (place === undefined) {
    const known = nearest(nodeId, [...tree.ids(), ...Object.keys(SCOPES), '$root']);
    throw new DashError('CHANGESET_TARGET_NOT_FOUND', `There is no node "${nodeId.slice(0, 200)}".`, {
      id,
      nodeId,
      known,
    });
  }
  const own = keysOf(place.type?.surface);
  const base = idOf(place.node) ?? nodeId;
  if (place.type?.role !== 'wrapper')
    return { ...head, subtree: place.node, ...withPath(own, `/${base}/config`) };
  const content = contentOf(place);
  const held = tree.placeOf(content);
  // Content without an id is still reached through its wrapper.
  const heldId = isJsonObject(content) ? idOf(content) : undefined;
  const prefix = heldId ?? `${base}/config/${place.type.contentField}`;
  const surface = withPath(keysOf(held?.type?.surface), `/${prefix}/config`);
  return { ...head, subtree: place.node, ...surface, ownSurface: own };
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
