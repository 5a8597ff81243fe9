import { defined } from '@msg/foundation/json';
import { nearest } from '@msg/foundation/suggest';
import { didYouMean, display } from '../document/display.ts';
import { DashError } from '../errors.ts';
import type { NodeTypes } from './node-types.ts';
import { surfaceFields } from './surface.ts';
import type { Catalog, ItemType, SchemaIdentity, Versions } from './types.ts';

/** A reference to a type: `type` (`name` or `name@x.y.z`), `$ref` (a canonical `$id`, or relative), or both. */
export interface TypeReference {
  readonly type?: unknown;
  readonly $ref?: unknown;
}

/** Result of a lookup: the type, or the reason why it does not exist. */
export type TypeLookup<T> =
  | { readonly type: T; readonly ref: string }
  | { readonly error: 'unknown' | 'conflict'; readonly ref: string }
  | { readonly error: 'version'; readonly ref: string; readonly name: string; readonly requested: string };

/** Finds the type of a reference in one half of the catalogue (dashboard details 2.2). */
export function link<T extends SchemaIdentity>(
  types: Versions<T>,
  folder: 'items' | 'connections',
  base: string,
  reference: TypeReference,
): TypeLookup<T> {
  const { type, $ref } = reference;
  const byName = typeof type === 'string' ? linkName(types, type) : undefined;
  const byId = typeof $ref === 'string' ? linkId(types, folder, base, $ref) : undefined;
  const lookup = byName ?? byId;
  if (lookup === undefined) return { error: 'unknown', ref: '' };
  if ('error' in lookup || byId === undefined || byName === undefined) return lookup;
  if ('error' in byId) return byId;
  return byId.type === lookup.type ? lookup : { error: 'conflict', ref: lookup.ref };
}

function linkName<T extends SchemaIdentity>(types: Versions<T>, ref: string): TypeLookup<T> {
  const at = ref.indexOf('@');
  const name = at < 0 ? ref : ref.slice(0, at);
  const all = types.get(name);
  if (all === undefined) return { error: 'unknown', ref };
  const requested = at < 0 ? undefined : ref.slice(at + 1);
  const type = requested === undefined ? all[0] : all.find(({ version }) => version === requested);
  return type === undefined ? { error: 'version', ref, name, requested: requested ?? '' } : { type, ref };
}

function linkId<T extends SchemaIdentity>(
  types: Versions<T>,
  folder: string,
  base: string,
  ref: string,
): TypeLookup<T> {
  const id = ref.startsWith(`${folder}/`) ? base + ref : ref;
  for (const all of types.values()) {
    const type = all.find(candidate => candidate.id === id);
    if (type !== undefined) return { type, ref };
  }
  const [, name = '', requested = ''] = /^(?:.*\/)([^/]+)\/(\d+\.\d+\.\d+)$/.exec(id) ?? [];
  const stem = types.get(name)?.[0]?.id.slice(0, -(types.get(name)?.[0]?.version.length ?? 0));
  return stem === id.slice(0, -requested.length) && stem !== ''
    ? { error: 'version', ref, name, requested }
    : { error: 'unknown', ref };
}

export function lookupItem(catalog: Catalog, node: TypeReference): TypeLookup<ItemType> {
  return link(catalog.items, 'items', catalog.base, node);
}

/** The error SCHEMA_REF_UNRESOLVED or SCHEMA_VERSION_MISMATCH of a node whose type was not found. */
export function lookupError(
  catalog: Catalog,
  path: string,
  nodeId: string,
  linked: Exclude<TypeLookup<ItemType>, { type: ItemType }>,
): DashError {
  if (linked.error === 'version') {
    const available = (catalog.items.get(linked.name) ?? []).map(({ version }) => version);
    const message = `Type "${linked.name}@${display(linked.requested)}" of node "${nodeId}" does not exist; known: ${available.join(', ')}.`;
    const { name, requested } = linked;
    return new DashError('SCHEMA_VERSION_MISMATCH', message, { path, nodeId, name, requested, available });
  }
  const suggestions = nearest(linked.ref, [...catalog.items.keys()]);
  const conflict = linked.error === 'conflict';
  const message = conflict
    ? `$ref of node "${nodeId}" must be a reference to the type that its type names; got "${display(linked.ref)}".`
    : `Type "${display(linked.ref)}" of node "${nodeId}" does not exist${didYouMean(suggestions)}`;
  return new DashError('SCHEMA_REF_UNRESOLVED', message, {
    path,
    nodeId,
    ref: linked.ref,
    known: suggestions,
    reason: conflict ? 'conflict' : undefined,
  });
}

/** The node types of a catalogue, for changesets. */
export function nodeTypes(catalog: Catalog): NodeTypes {
  const seen = new Map<ItemType, ReturnType<NodeTypes['typeOf']>>();
  const view = ({ name, behavior: { role, contentField }, surface }: ItemType) =>
    defined({
      role,
      contentField,
      surface: surfaceFields(surface),
      targetField: name === 'configurator' ? 'target' : undefined,
    });
  return {
    typeOf(node) {
      const linked = lookupItem(catalog, node);
      if (!('type' in linked)) return undefined;
      if (!seen.has(linked.type)) seen.set(linked.type, view(linked.type));
      return seen.get(linked.type);
    },
    scopeSurface: scope => surfaceFields(catalog.scopeSurfaces[scope]),
  };
}
