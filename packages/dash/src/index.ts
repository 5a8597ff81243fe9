export { type CatalogOptions, loadCatalog } from './catalog/index.ts';
export type { NodeType, NodeTypes, Surface, SurfaceField, SurfaceScope } from './catalog/node-types.ts';
export { nodeTypes } from './catalog/reference.ts';
export type { Catalog, ItemType, SurfaceEntry } from './catalog/types.ts';
export type { ChangesetContext } from './changeset/applied.ts';
export { applyChangeset } from './changeset/apply.ts';
export { type Change, type ChangeSummary, changesBetween } from './changeset/changes.ts';
export { applyLiteralPatch } from './changeset/literal.ts';
export type { Operation, OperationName } from './changeset/operation.ts';
export { parseChangeset } from './changeset/parse.ts';
export {
  type ChangesetRequest,
  type CommitRequest,
  type CommitResult,
  commitChangeset,
  type DryRunResult,
  dryRunChangeset,
} from './changeset/pipeline.ts';
export { canonicalBytes, canonicalText } from './document/canonical.ts';
export type { Json, JsonObject } from './document/json.ts';
export { CODE_TABLE, type CodeRow, type DashCode, DashError, type ErrorEnvelope } from './errors.ts';
export { type DocumentEngine, documentEngine, openDocumentEngine } from './reads/document-engine.ts';
export { listDashboards } from './reads/list.ts';
export { getNode, type NodeAnswer } from './reads/node.ts';
export { getOutline, type Outline, type OutlineNode } from './reads/outline.ts';
export { getSchema, listSchemas } from './reads/schemas.ts';
export { parseDocumentText } from './resolve/envelope.ts';
export { type ResolveOptions, resolveDocument } from './resolve/index.ts';
export type { Override } from './resolve/overrides.ts';
export type { ResolvedNode, ResolvedTree } from './resolve/tree.ts';
export type {
  Capability,
  DocumentStore,
  HistoryEntry,
  LockedDocument,
  SaveOptions,
  Snapshot,
} from './store/contract.ts';
export { FileStore, type FileStoreOptions } from './store/file-store.ts';
export { GitStore, type GitStoreOptions } from './store/git-store.ts';
export { openStore } from './store/open-store.ts';
