import type { JsonObject } from '#src/document/json.ts';
import type { NodeType, NodeTypes, Surface, SurfaceField, SurfaceScope } from './node-types.ts';

/** A surface entry of the catalogue, as far as changesets read it. */
interface Entry {
  readonly field: string;
  readonly type: SurfaceField['type'];
  readonly constraints?: JsonObject;
}

/** An item type of the catalogue, as far as changesets read it. */
interface LinkedType {
  readonly behavior: { readonly role: NodeType['role']; readonly contentField?: string };
  readonly surface: readonly Entry[];
}

/**
 * The catalogue as changesets see it. Each type's surface is indexed once.
 *
 * @param link The item type that a stored node refers to; undefined when the reference does not link.
 */
export function catalogTypes(
  scopes: Readonly<Record<SurfaceScope, readonly Entry[]>>,
  link: (node: JsonObject) => LinkedType | undefined,
): NodeTypes {
  const known = new Map<LinkedType, NodeType>();
  const surfaces = { $manifest: surfaceOf(scopes.$manifest), $theme: surfaceOf(scopes.$theme) };
  return {
    scopeSurface: scope => surfaces[scope],
    typeOf(node) {
      const linked = link(node);
      if (linked === undefined) return undefined;
      const type = known.get(linked) ?? nodeType(linked);
      known.set(linked, type);
      return type;
    },
  };
}

function nodeType({ behavior, surface }: LinkedType): NodeType {
  const { role, contentField } = behavior;
  return { role, surface: surfaceOf(surface), ...(contentField === undefined ? {} : { contentField }) };
}

function surfaceOf(entries: readonly Entry[]): Surface {
  return new Map(
    entries.map(({ field, type, constraints }) => {
      const allowed = constraints?.['enum'];
      return [field, { type, ...(type === 'enum' && Array.isArray(allowed) ? { allowed } : {}) }];
    }),
  );
}
