import { loadCatalog } from '../catalog/index.ts';
import type { NodeTypes } from '../catalog/node-types.ts';
import { nodeTypes } from '../catalog/reference.ts';
import type { Catalog } from '../catalog/types.ts';
import type { Json, JsonObject } from '../document/json.ts';
import type { DashError } from '../errors.ts';
import { FetchedRows } from '../resolve/fetched-rows.ts';
import { type ResolveOptions, resolveDocument } from '../resolve/index.ts';
import type { ResolvedNode, ResolvedTree } from '../resolve/tree.ts';

/** Catalogue and resolver together, with which every entry point reads and validates documents. */
export interface DocumentEngine {
  readonly catalog: Catalog;
  readonly types: NodeTypes;
  /** Options of one resolution are added to those of the engine. @throws DashError when the document does not resolve. */
  resolve(document: JsonObject, options?: ResolveOptions): ResolvedTree;
  /** RESULT_SHAPE_INVALID for fetched rows that a bound node of a tree cannot show; undefined for all others. */
  rowsError(node: ResolvedNode, rows: readonly Json[]): DashError | undefined;
}

/** The engine of a catalogue; `options` apply to every resolution. */
export function documentEngine(catalog: Catalog, options: ResolveOptions = {}): DocumentEngine {
  const fetched = new FetchedRows(catalog);
  return {
    catalog,
    types: nodeTypes(catalog),
    resolve: (document, request) => resolveDocument(document, catalog, { ...options, ...request }),
    rowsError: (node, rows) => fetched.check(node, rows),
  };
}

/**
 * The engine of the schema directory, or of the built-in types.
 * @throws DashError SCHEMA_*, CONFIGURABLE_SURFACE_INVALID, CONTRACT_INVALID.
 */
export function openDocumentEngine(directory?: string, options?: ResolveOptions): DocumentEngine {
  return documentEngine(loadCatalog(directory === undefined ? {} : { dir: directory }), options);
}
