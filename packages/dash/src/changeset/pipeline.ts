import { defined } from '@msg/foundation/json';
import type { NodeTypes } from '../catalog/node-types.ts';
import { canonicalBytesWithin, firstInexactNumber, jsonEqual } from '../document/canonical.ts';
import { display } from '../document/display.ts';
import type { JsonObject } from '../document/json.ts';
import { MAX_NESTING, nestsDeeper } from '../document/nesting.ts';
import { MAX_DOCUMENT_BYTES } from '../document/size.ts';
import { DashError } from '../errors.ts';
import {
  type DocumentStore,
  type LockedDocument,
  revisionConflict,
  type Snapshot,
} from '../store/contract.ts';
import { readStored, requireMatchingId } from '../store/stored-document.ts';
import { applyChangeset } from './apply.ts';
import { type Change, changesBetween } from './changes.ts';
import type { Operation } from './operation.ts';
import { parseChangeset } from './parse.ts';

const ATTEMPTS = 5;

/** Store, types and resolver of a changeset; `resolve` is bound to its catalogue and options. */
export interface ChangesetContext<Tree> {
  readonly store: DocumentStore;
  readonly types: NodeTypes;
  /** @throws DashError when the document does not resolve. */
  resolve(document: JsonObject): Tree;
}

/** A changeset for one document. */
export interface ChangesetRequest {
  readonly id: string;
  /** The changeset, not parsed yet. */
  readonly ops: unknown;
  readonly expectedRevision?: string;
}

/** A changeset for a commit. */
export interface CommitRequest extends ChangesetRequest {
  /** Subject of the commit message where the store keeps history. */
  readonly message?: string;
}

/** The result that a changeset would have. */
export interface DryRunResult<Tree> {
  readonly preview: Tree;
  /** Revision of exactly the bytes to which the changeset was applied. */
  readonly baseRevision?: string;
  readonly changes: readonly Change[];
  readonly changesTruncated?: true;
}

/** The result of a commit. */
export interface CommitResult<Tree> {
  /** Absent only for a store without revisions. */
  readonly revision?: string;
  readonly result: Tree;
}

/** A changeset that was applied in memory. */
interface AppliedChangeset<Tree> {
  readonly tree: Tree;
  readonly before: JsonObject;
  readonly after: JsonObject;
  /** Undefined when the result equals the stored document as JSON data. */
  readonly bytes: Uint8Array | undefined;
}

/**
 * Runs every step of a commit up to the write (dashboard details 11.5), without a lock.
 * @throws DashError as {@link commitChangeset} for the same input
 */
export async function dryRunChangeset<Tree>(
  context: ChangesetContext<Tree>,
  request: ChangesetRequest,
): Promise<DryRunResult<Tree>> {
  const operations = parseChangeset(request.ops);
  const snapshot = await inStore(() => context.store.load(request.id));
  const applied = applyRequest(context, request, operations, snapshot);
  const { revision } = snapshot;
  return {
    preview: applied.tree,
    ...defined({ baseRevision: revision }),
    ...changesBetween(applied.before, applied.after, context.types),
  };
}

/**
 * Applies a changeset and saves the result, whole or not at all, under the document's lock.
 * @throws DashError CHANGESET_*, PATCH_*, STORAGE_*, or what the resolver reports (dashboard details 11.5).
 */
export async function commitChangeset<Tree>(
  context: ChangesetContext<Tree>,
  request: CommitRequest,
): Promise<CommitResult<Tree>> {
  const operations = parseChangeset(request.ops);
  return inStore(() =>
    context.store.exclusively(request.id, document =>
      commitUnderLock(context, request, operations, document),
    ),
  );
}

/** Repeats the commit when another program wrote in between without the lock. */
async function commitUnderLock<Tree>(
  context: ChangesetContext<Tree>,
  request: CommitRequest,
  operations: readonly Operation[],
  document: LockedDocument,
): Promise<CommitResult<Tree>> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const snapshot = await document.load();
    const applied = applyRequest(context, request, operations, snapshot);
    if (applied.bytes === undefined) return committed(applied, snapshot.revision);
    try {
      const revision = await document.save(applied.bytes, saveOptions(request, operations, snapshot));
      return committed(applied, revision);
    } catch (error) {
      const isConflict = error instanceof DashError && error.code === 'CHANGESET_REVISION_CONFLICT';
      if (!isConflict || request.expectedRevision !== undefined) throw error;
    }
  }
  const message = `Document "${request.id}" is being changed outside the lock; try again.`;
  throw new DashError('STORAGE_BUSY', message, { id: request.id });
}

function committed<Tree>(applied: AppliedChangeset<Tree>, revision: string | undefined): CommitResult<Tree> {
  return { ...defined({ revision }), result: applied.tree };
}

function saveOptions(request: CommitRequest, operations: readonly Operation[], snapshot: Snapshot) {
  return defined({
    summary: operations.map(({ op, pointer }) => `${op} ${pointer}`),
    expectedRevision: snapshot.revision,
    message: request.message,
  });
}

/** Steps 2 to 7: the one path of dry run and commit. */
function applyRequest<Tree>(
  context: ChangesetContext<Tree>,
  request: ChangesetRequest,
  operations: readonly Operation[],
  snapshot: Snapshot,
): AppliedChangeset<Tree> {
  const { id } = request;
  const stored = readStored(id, snapshot.bytes);
  requireMatchingId(id, stored);
  requireRevision(context.store, request, snapshot.revision);
  requireNesting(id, stored.document);
  const after = applyChangeset(id, stored.document, operations, context.types);
  requireManifestId(id, after);
  const tree = reResolve(context, after);
  const bytes = jsonEqual(stored.document, after) ? undefined : serialise(stored.text, after);
  return { tree, before: stored.document, after, bytes };
}

function requireRevision(
  store: DocumentStore,
  { id, expectedRevision }: ChangesetRequest,
  current?: string,
): void {
  if (expectedRevision === undefined || expectedRevision === current) return;
  if (current !== undefined && store.capabilities.has('revisions')) {
    throw revisionConflict(id, expectedRevision, current);
  }
  const message = 'Expecting a revision on this store is not allowed: it keeps no revisions.';
  throw new DashError('CHANGESET_REVISION_UNSUPPORTED', message, { id });
}

/** Checks the nesting before any code walks over the document. */
function requireNesting(id: string, document: JsonObject): void {
  if (!nestsDeeper(document)) return;
  const message = `Document "${id}" must be nested at most ${MAX_NESTING} levels deep; got more.`;
  throw new DashError('RESOLVE_DOCUMENT_INVALID', message, { source: id, reason: 'limit' });
}

function requireManifestId(id: string, after: JsonObject): void {
  const { manifest } = after as { manifest?: { id?: unknown } };
  if (manifest?.id === id) return;
  const message = `manifest.id must be "${id}" after the changeset.`;
  throw new DashError('PATCH_STRUCTURE_INVALID', message, { reason: 'manifest_id' });
}

function serialise(text: string, after: JsonObject): Uint8Array {
  const inexact = firstInexactNumber(text);
  if (inexact !== undefined) {
    const message = `Every stored number must be one that a double can hold; got ${display(inexact)}.`;
    throw new DashError('PATCH_STRUCTURE_INVALID', message, { reason: 'number' });
  }
  const bytes = canonicalBytesWithin(MAX_DOCUMENT_BYTES, after);
  if (bytes !== undefined) return bytes;
  const message = `The patched document must be at most ${MAX_DOCUMENT_BYTES} bytes; got more.`;
  throw new DashError('PATCH_STRUCTURE_INVALID', message, { reason: 'size' });
}

const STRUCTURAL_FAMILY = /^(?:GRAMMAR|WRAPPER|LAYOUT|METADATA|CONFIGURATOR)_/;

/** Step 6. Violations of shape and reference become structural errors with the resolver's error as cause. */
function reResolve<Tree>(context: ChangesetContext<Tree>, after: JsonObject): Tree {
  try {
    return context.resolve(after);
  } catch (error) {
    if (!(error instanceof DashError)) throw internal('RESOLVE_INTERNAL', error);
    if (!STRUCTURAL_FAMILY.test(error.code)) throw error;
    const cause = { code: error.code, message: error.message, details: error.details };
    throw new DashError('PATCH_STRUCTURE_INVALID', error.message, { cause });
  }
}

async function inStore<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof DashError ? error : internal('STORAGE_INTERNAL', error);
  }
}

/** An internal error, with the original as cause for the log; its message shows nothing of it. */
function internal(code: 'STORAGE_INTERNAL' | 'RESOLVE_INTERNAL', cause: unknown): DashError {
  const message = 'The service is in an unexpected state; the stored document is unchanged.';
  return new DashError(code, message, {}, cause);
}
