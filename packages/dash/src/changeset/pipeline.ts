import { canonicalBytesWithin, firstInexactNumber, jsonEqual } from '#src/document/canonical.ts';
import type { JsonObject } from '#src/document/json.ts';
import { MAX_NESTING, nestsDeeper } from '#src/document/nesting.ts';
import { DashError } from '#src/errors.ts';
import type { DocumentStore, LockedDocument, Snapshot } from '#src/store/contract.ts';
import { revisionConflict } from '#src/store/file-store.ts';
import { MAX_DOCUMENT_BYTES, readStored, requireMatchingId } from '#src/store/stored-document.ts';
import { applyChangeset } from './apply.ts';
import { type Change, changesBetween } from './changes.ts';
import type { NodeTypes } from './node-types.ts';
import type { Operation } from './operation.ts';
import { parseChangeset } from './parse.ts';

const ATTEMPTS = 5;

/** What the pipeline works with. `resolve` is the resolver, bound to its catalogue and options. */
export interface Workshop<Tree> {
  readonly store: DocumentStore;
  readonly types: NodeTypes;
  /** @throws DashError when the document does not resolve. */
  resolve(document: JsonObject): Tree;
}

export interface Proposal {
  readonly id: string;
  /** The changeset as it came in. */
  readonly ops: unknown;
  readonly expectedRevision?: string;
}

export interface Commission extends Proposal {
  /** Subject of the commit message where the store keeps history. */
  readonly message?: string;
}

/** What a changeset would give. */
export interface Preview<Tree> {
  readonly preview: Tree;
  /** Revision of exactly the bytes that the changeset was tried on. */
  readonly baseRevision?: string;
  readonly changes: readonly Change[];
  readonly changesTruncated?: true;
}

export interface Committed<Tree> {
  /** Left out only by a store without revisions. */
  readonly revision?: string;
  readonly result: Tree;
}

/** A changeset carried out in memory. */
interface Prepared<Tree> {
  readonly tree: Tree;
  readonly before: JsonObject;
  readonly after: JsonObject;
  /** Undefined when the result equals the stored document as JSON data. */
  readonly bytes: Uint8Array | undefined;
}

/**
 * Tries a changeset: every step of a commit up to the write (dashboard details 11.5). Takes no lock, writes nothing.
 *
 * @throws DashError whatever {@link commitChangeset} would throw for the same input.
 */
export async function dryRunChangeset<Tree>(
  shop: Workshop<Tree>,
  proposal: Proposal,
): Promise<Preview<Tree>> {
  const operations = parseChangeset(proposal.ops);
  const snapshot = await inStore(() => shop.store.load(proposal.id));
  const prepared = prepare(shop, proposal, operations, snapshot);
  const { revision } = snapshot;
  return {
    preview: prepared.tree,
    ...(revision === undefined ? {} : { baseRevision: revision }),
    ...changesBetween(prepared.before, prepared.after, shop.types),
  };
}

/**
 * Carries a changeset out and saves the result, whole or not at all, under the document's lock.
 *
 * @throws DashError CHANGESET_*, PATCH_*, STORAGE_*, or what the resolver reports (dashboard details 11.5).
 */
export async function commitChangeset<Tree>(
  shop: Workshop<Tree>,
  commission: Commission,
): Promise<Committed<Tree>> {
  const operations = parseChangeset(commission.ops);
  return inStore(() =>
    shop.store.exclusively(commission.id, document =>
      commitUnderLock(shop, commission, operations, document),
    ),
  );
}

/** Starts again when somebody who ignores the lock wrote in between. */
async function commitUnderLock<Tree>(
  shop: Workshop<Tree>,
  commission: Commission,
  operations: readonly Operation[],
  document: LockedDocument,
): Promise<Committed<Tree>> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const snapshot = await document.load();
    const prepared = prepare(shop, commission, operations, snapshot);
    if (prepared.bytes === undefined) return committed(prepared, snapshot.revision);
    try {
      const revision = await document.save(prepared.bytes, saveOptions(commission, operations, snapshot));
      return committed(prepared, revision);
    } catch (error) {
      const overtaken = error instanceof DashError && error.code === 'CHANGESET_REVISION_CONFLICT';
      if (!overtaken || commission.expectedRevision !== undefined) throw error;
    }
  }
  const message = `"${commission.id}" keeps changing outside the lock; try again.`;
  throw new DashError('STORAGE_BUSY', message, { id: commission.id });
}

function committed<Tree>(prepared: Prepared<Tree>, revision: string | undefined): Committed<Tree> {
  return { ...(revision === undefined ? {} : { revision }), result: prepared.tree };
}

function saveOptions(commission: Commission, operations: readonly Operation[], snapshot: Snapshot) {
  return {
    summary: operations.map(({ op, pointer }) => `${op} ${pointer}`),
    ...(snapshot.revision === undefined ? {} : { expectedRevision: snapshot.revision }),
    ...(commission.message === undefined ? {} : { message: commission.message }),
  };
}

/** Steps 2 to 7: the one path of dry run and commit. */
function prepare<Tree>(
  shop: Workshop<Tree>,
  proposal: Proposal,
  operations: readonly Operation[],
  snapshot: Snapshot,
): Prepared<Tree> {
  const { id } = proposal;
  const stored = readStored(id, snapshot.bytes);
  requireMatchingId(id, stored);
  requireRevision(shop.store, proposal, snapshot.revision);
  requireNesting(id, stored.document);
  const after = applyChangeset(id, stored.document, operations, shop.types);
  requireManifestId(id, after);
  const tree = reResolve(shop, after);
  const bytes = jsonEqual(stored.document, after) ? undefined : serialise(stored.text, after);
  return { tree, before: stored.document, after, bytes };
}

function requireRevision(store: DocumentStore, { id, expectedRevision }: Proposal, current?: string): void {
  if (expectedRevision === undefined || expectedRevision === current) return;
  if (current !== undefined && store.capabilities.has('revisions')) {
    throw revisionConflict(id, expectedRevision, current);
  }
  const message = 'This store keeps no revisions, so none can be expected.';
  throw new DashError('CHANGESET_REVISION_UNSUPPORTED', message, { id });
}

/** Before anything walks the document: what nests deeper is not walked at all. */
function requireNesting(id: string, document: JsonObject): void {
  if (!nestsDeeper(document)) return;
  const message = `Arrays and objects of "${id}" nest deeper than ${MAX_NESTING} levels.`;
  throw new DashError('RESOLVE_DOCUMENT_INVALID', message, { source: id, reason: 'limit' });
}

function requireManifestId(id: string, after: JsonObject): void {
  const { manifest } = after as { manifest?: { id?: unknown } };
  if (manifest?.id === id) return;
  const message = `The patched document is no longer "${id}".`;
  throw new DashError('PATCH_STRUCTURE_INVALID', message, { reason: 'manifest_id' });
}

function serialise(text: string, after: JsonObject): Uint8Array {
  const inexact = firstInexactNumber(text);
  if (inexact !== undefined) {
    const message = `The stored number ${inexact.slice(0, 100)} does not fit a double and would be changed by rewriting.`;
    throw new DashError('PATCH_STRUCTURE_INVALID', message, { reason: 'number' });
  }
  const bytes = canonicalBytesWithin(MAX_DOCUMENT_BYTES, after);
  if (bytes !== undefined) return bytes;
  const message = `The patched document would have more than ${MAX_DOCUMENT_BYTES} bytes.`;
  throw new DashError('PATCH_STRUCTURE_INVALID', message, { reason: 'size' });
}

const STRUCTURAL_FAMILY = /^(?:GRAMMAR|WRAPPER|LAYOUT|METADATA|CONFIGURATOR)_/;

/** Step 6. Rules of shape and reference are reported as structural rejections with the resolver's error as cause. */
function reResolve<Tree>(shop: Workshop<Tree>, after: JsonObject): Tree {
  try {
    return shop.resolve(after);
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

/** The original stays reachable for a log; nothing of it is shown. */
function internal(code: 'STORAGE_INTERNAL' | 'RESOLVE_INTERNAL', cause: unknown): DashError {
  const error = new DashError(code, 'An unexpected failure; the stored document is unchanged.', {});
  error.cause = cause;
  return error;
}
