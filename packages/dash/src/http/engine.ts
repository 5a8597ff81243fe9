import { nodeTypes } from '#src/catalog/reference.ts';
import type { Catalog } from '#src/catalog/types.ts';
import type { NodeTypes } from '#src/changeset/node-types.ts';
import type { JsonObject } from '#src/document/json.ts';
import { type ResolveOptions, resolveDocument } from '#src/resolve/index.ts';
import type { ResolvedTree } from '#src/resolve/tree.ts';
import type { DocumentStore } from '#src/store/contract.ts';

/** Catalogue and resolver, as far as the HTTP server needs them. */
export interface Engine {
  readonly types: NodeTypes;
  /** @throws DashError when the document does not resolve. */
  resolve(
    document: JsonObject,
    options?: Pick<ResolveOptions, 'overrides' | 'ignoreUnknownVariables'>,
  ): ResolvedTree;
}

/** The engine of a catalogue; `options` hold for every resolution. */
export function engineOf(
  catalog: Catalog,
  options: Pick<ResolveOptions, 'requireSecrets' | 'source'> = {},
): Engine {
  return {
    types: nodeTypes(catalog),
    resolve: (document, request) => resolveDocument(document, catalog, { ...options, ...request }),
  };
}

/** What is served: a store whose documents may be changed, or one file that is only read. */
export type Served =
  | { readonly store: DocumentStore; readonly id?: string }
  | { readonly read: () => Promise<JsonObject> };
