import { loadCatalog } from '../catalog/index.ts';
import type { NodeTypes } from '../catalog/node-types.ts';
import { nodeTypes } from '../catalog/reference.ts';
import type { Catalog } from '../catalog/types.ts';
import type { JsonObject } from '../document/json.ts';
import { type ResolveOptions, resolveDocument } from '../resolve/index.ts';
import type { ResolvedTree } from '../resolve/tree.ts';

/** Catalogue and resolver together, with which every entry point reads and validates documents. */
export interface DocumentEngine {
  readonly catalog: Catalog;
  readonly types: NodeTypes;
  /** Options of one resolution are added to those of the engine. @throws DashError when the document does not resolve. */
  resolve(document: JsonObject, options?: ResolveOptions): ResolvedTree;
}

/** The engine of a catalogue; `options` apply to every resolution. */
export function documentEngine(catalog: Catalog, options: ResolveOptions = {}): DocumentEngine {
  return {
    catalog,
    types: nodeTypes(catalog),
    resolve: (document, request) => resolveDocument(document, catalog, { ...options, ...request }),
  };
}

/**
 * The engine of the schema directory, or of the built-in types.
 * @throws DashError SCHEMA_*, CONFIGURABLE_SURFACE_INVALID, CONTRACT_INVALID.
 */
export function openDocumentEngine(directory?: string, options?: ResolveOptions): DocumentEngine {
  return documentEngine(loadCatalog(directory === undefined ? {} : { dir: directory }), options);
}
