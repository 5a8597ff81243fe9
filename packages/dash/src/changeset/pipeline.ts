import { defined } from '@msg/foundation/json';
import { canonicalBytes } from '../document/canonical.ts';
import { emptyPage } from '../document/empty-page.ts';
import type { Json, JsonObject } from '../document/json.ts';
import { DashError } from '../errors.ts';
import {
  type DocumentStore,
  type LockedDocument,
  revisionConflict,
  type SaveOptions,
  type Snapshot,
  storageExists,
} from '../store/contract.ts';
import { withKnownIds } from '../store/known-ids.ts';
import { readStored, requireMatchingId } from '../store/stored-document.ts';
import { type AppliedChangeset, applyOperations, type ChangesetContext, internal } from './applied.ts';
import { type Change, changesBetween } from './changes.ts';
import { withConflictHelp } from './conflict-help.ts';
import { withMaskedCredentials } from './credential-mask.ts';
import type { Operation } from './operation.ts';
import { parseChangeset } from './parse.ts';
import { undoOps } from './undo.ts';

const ATTEMPTS = 5;

/** A changeset for one document. */
export interface ChangesetRequest {
  readonly id: string;
  /** The changeset, not parsed yet. */
  readonly ops: unknown;
  readonly expectedRevision?: string;
  /** The document does not exist yet: the base is an empty page (review details 3.5). */
  readonly create?: true;
}

/** A changeset for a commit. */
export interface CommitRequest extends ChangesetRequest {
  /** Subject of the commit message where the store keeps history. */
  readonly message?: string;
  /** What the commit says about itself, besides its base, where the store keeps history. */
  readonly trailers?: SaveOptions['trailers'];
  /** Answer the changeset that leads back. */
  readonly inverse?: true;
}

/** A changeset that was tried: the document before and after it, and the tree that it gives. */
export interface TriedChangeset<Tree> {
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly tree: Tree;
  /** Revision of exactly the bytes to which the changeset was applied. */
  readonly revision?: string;
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
  /** On request: the changeset that leads back, and the revision that it expects. */
  readonly inverse?: { readonly ops: readonly Json[]; readonly expectedRevision?: string };
}

/**
 * Runs every step of a commit up to the write (dashboard details 11.5), without a lock.
 * @throws DashError as {@link commitChangeset} for the same input
 */
export async function dryRunChangeset<Tree>(
  context: ChangesetContext<Tree>,
  request: ChangesetRequest,
): Promise<DryRunResult<Tree>> {
  const { before, after, tree, revision } = await tryChangeset(context, request);
  return {
    preview: tree,
    ...defined({ baseRevision: revision }),
    ...changesBetween(before, after, context.types),
  };
}

/** As {@link dryRunChangeset}, with both states of the document. */
export async function tryChangeset<Tree>(
  context: ChangesetContext<Tree>,
  request: ChangesetRequest,
): Promise<TriedChangeset<Tree>> {
  const operations = parseChangeset(request.ops);
  const { applied, revision } = await withHelp(context, request, () =>
    tryRequest(context, request, operations),
  );
  const { before, after, tree } = applied;
  return { before, after, tree, ...defined({ revision }) };
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
  if (request.create === true)
    return withHelp(context, request, () => commitCreation(context, request, operations));
  return withHelp(context, request, () =>
    withKnownIds(context.store, request.id, () =>
      context.store.exclusively(request.id, document =>
        commitUnderLock(context, request, operations, document),
      ),
    ),
  );
}

async function tryRequest<Tree>(
  context: ChangesetContext<Tree>,
  request: ChangesetRequest,
  operations: readonly Operation[],
): Promise<{ readonly applied: AppliedChangeset<Tree>; readonly revision?: string }> {
  const { store } = context;
  const { id } = request;
  if (request.create === true) {
    if (await store.exists(id)) throw storageExists(id);
    return { applied: applyToEmptyPage(context, id, operations) };
  }
  const snapshot = await withKnownIds(store, id, () => store.load(id));
  const applied = applyRequest(context, request, operations, snapshot);
  return { applied, ...defined({ revision: snapshot.revision }) };
}

async function commitCreation<Tree>(
  context: ChangesetContext<Tree>,
  request: CommitRequest,
  operations: readonly Operation[],
): Promise<CommitResult<Tree>> {
  const { id } = request;
  const applied = applyToEmptyPage(context, id, operations);
  const revision = await context.store.save(id, applied.bytes ?? canonicalBytes(applied.after), {
    ...saveOptions(request, operations),
    message: request.message ?? `Create dashboard ${id}`,
    create: true,
  });
  return { ...defined({ revision }), result: applied.tree };
}

function applyToEmptyPage<Tree>(
  context: ChangesetContext<Tree>,
  id: string,
  operations: readonly Operation[],
): AppliedChangeset<Tree> {
  return applyOperations(context, id, { document: emptyPage(id), text: '' }, operations);
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
    if (applied.bytes === undefined) return committed(context, request, applied, snapshot.revision);
    try {
      const revision = await document.save(applied.bytes, {
        ...saveOptions(request, operations),
        ...defined({ expectedRevision: snapshot.revision }),
      });
      return committed(context, request, applied, revision);
    } catch (error) {
      const isConflict = error instanceof DashError && error.code === 'CHANGESET_REVISION_CONFLICT';
      if (!isConflict || request.expectedRevision !== undefined) throw error;
    }
  }
  const message = `Document "${request.id}" is being changed outside the lock; try again.`;
  throw new DashError('STORAGE_BUSY', message, { id: request.id });
}

function committed<Tree>(
  { types }: ChangesetContext<Tree>,
  request: CommitRequest,
  { tree, before, after }: AppliedChangeset<Tree>,
  revision: string | undefined,
): CommitResult<Tree> {
  const result = { ...defined({ revision }), result: tree };
  if (request.inverse !== true) return result;
  const { ops } = undoOps(request.id, after, before, types);
  return { ...result, inverse: { ops, ...defined({ expectedRevision: revision }) } };
}

function saveOptions({ message, trailers }: CommitRequest, operations: readonly Operation[]): SaveOptions {
  return defined({ summary: operations.map(({ op, pointer }) => `${op} ${pointer}`), message, trailers });
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
  return applyOperations(context, id, stored, operations);
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

/** The errors of a store as coded ones; a conflict tells what changed, outside the lock. */
async function withHelp<T>(
  context: ChangesetContext<unknown>,
  { id, ops }: ChangesetRequest,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await inStore(work);
  } catch (error) {
    throw withMaskedCredentials(await withConflictHelp(context, id, ops, error), ops);
  }
}

async function inStore<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof DashError ? error : internal('STORAGE_INTERNAL', error);
  }
}
