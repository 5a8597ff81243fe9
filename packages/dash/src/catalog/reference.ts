import type { NodeTypes } from '#src/changeset/node-types.ts';
import { nearest } from '#src/document/nearest.ts';
import { DashError } from '#src/errors.ts';
import { surfaceFields } from './surface.ts';
import type { Catalog, ItemType, SchemaIdentity, Versions } from './types.ts';

/** What names a type: `type` (`name` or `name@x.y.z`), `$ref` (a canonical `$id`, or relative), or both. */
export interface TypeReference {
  readonly type?: unknown;
  readonly $ref?: unknown;
}

/** Outcome of linking: the type, or why there is none. */
export type Linked<T> =
  | { readonly type: T; readonly ref: string }
  | { readonly fault: 'unknown' | 'conflict'; readonly ref: string }
  | { readonly fault: 'version'; readonly ref: string; readonly name: string; readonly requested: string };

/** Links a reference against one half of the catalogue (dashboard details 2.2). */
export function link<T extends SchemaIdentity>(
  types: Versions<T>,
  folder: 'items' | 'connections',
  base: string,
  reference: TypeReference,
): Linked<T> {
  const { type, $ref } = reference;
  const byName = typeof type === 'string' ? linkName(types, type) : undefined;
  const byId = typeof $ref === 'string' ? linkId(types, folder, base, $ref) : undefined;
  const found = byName ?? byId;
  if (found === undefined) return { fault: 'unknown', ref: '' };
  if ('fault' in found || byId === undefined || byName === undefined) return found;
  if ('fault' in byId) return byId;
  return byId.type === found.type ? found : { fault: 'conflict', ref: found.ref };
}

function linkName<T extends SchemaIdentity>(types: Versions<T>, ref: string): Linked<T> {
  const at = ref.indexOf('@');
  const name = at < 0 ? ref : ref.slice(0, at);
  const all = types.get(name);
  if (all === undefined) return { fault: 'unknown', ref };
  const requested = at < 0 ? undefined : ref.slice(at + 1);
  const type = requested === undefined ? all[0] : all.find(({ version }) => version === requested);
  return type === undefined ? { fault: 'version', ref, name, requested: requested ?? '' } : { type, ref };
}

function linkId<T extends SchemaIdentity>(
  types: Versions<T>,
  folder: string,
  base: string,
  ref: string,
): Linked<T> {
  const id = ref.startsWith(`${folder}/`) ? base + ref : ref;
  for (const all of types.values()) {
    const type = all.find(candidate => candidate.id === id);
    if (type !== undefined) return { type, ref };
  }
  const [, name = '', requested = ''] = /^(?:.*\/)([^/]+)\/(\d+\.\d+\.\d+)$/.exec(id) ?? [];
  const stem = types.get(name)?.[0]?.id.slice(0, -(types.get(name)?.[0]?.version.length ?? 0));
  return stem === id.slice(0, -requested.length) && stem !== ''
    ? { fault: 'version', ref, name, requested }
    : { fault: 'unknown', ref };
}

export function linkItem(catalog: Catalog, node: TypeReference): Linked<ItemType> {
  return link(catalog.items, 'items', catalog.base, node);
}

/** SCHEMA_REF_UNRESOLVED or SCHEMA_VERSION_MISMATCH for a node whose type does not link. */
export function linkFault(
  catalog: Catalog,
  path: string,
  nodeId: string,
  linked: Exclude<Linked<ItemType>, { type: ItemType }>,
): DashError {
  if (linked.fault === 'version') {
    const available = (catalog.items.get(linked.name) ?? []).map(({ version }) => version);
    const message = `"${nodeId}" asks for ${linked.name} ${linked.requested}; there is ${available.join(', ')}.`;
    const { name, requested } = linked;
    return new DashError('SCHEMA_VERSION_MISMATCH', message, { path, nodeId, name, requested, available });
  }
  const conflict = linked.fault === 'conflict';
  const message = conflict
    ? `The type and the $ref of "${nodeId}" name different types.`
    : `"${nodeId}" names no known item type: "${linked.ref.slice(0, 200)}".`;
  const known = nearest(linked.ref, [...catalog.items.keys()]);
  return new DashError('SCHEMA_REF_UNRESOLVED', message, {
    path,
    nodeId,
    ref: linked.ref,
    known,
    ...(conflict ? { reason: 'conflict' } : {}),
  });
}

/** The catalogue as changesets look at it. */
export function nodeTypes(catalog: Catalog): NodeTypes {
  const seen = new Map<ItemType, ReturnType<NodeTypes['typeOf']>>();
  const view = (type: ItemType) => ({
    role: type.behavior.role,
    ...(type.behavior.contentField === undefined ? {} : { contentField: type.behavior.contentField }),
    surface: surfaceFields(type.surface),
  });
  return {
    typeOf(node) {
      const linked = linkItem(catalog, node);
      if (!('type' in linked)) return undefined;
      if (!seen.has(linked.type)) seen.set(linked.type, view(linked.type));
      return seen.get(linked.type);
    },
    scopeSurface: scope => surfaceFields(catalog.scopeSurfaces[scope]),
  };
}
