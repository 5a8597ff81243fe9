import { defined } from '@msg/foundation/json';
import type { NodeTypes } from '../catalog/node-types.ts';
import { type Change, changesBetween } from '../changeset/changes.ts';
import { undoOps } from '../changeset/undo.ts';
import { type Sentence, wordsBetween } from '../changeset/words.ts';
import { emptyPage } from '../document/empty-page.ts';
import type { Json, JsonObject } from '../document/json.ts';
import { type DocumentStore, type HistoryEntry, type HistoryPart, notFound } from '../store/contract.ts';
import { readStored } from '../store/stored-document.ts';

/** Which two states are compared; the older one is the newest commit's predecessor unless told, the newer one the stored one. */
export interface ChangesRequest {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Answer the changeset that leads from the stored document to the older state. */
  readonly undo?: boolean;
}

/** What is different between two states of a document, as data and in words. */
export interface ChangesAnswer {
  readonly changes: readonly Change[];
  readonly changesTruncated?: true;
  readonly words: readonly Sentence[];
  readonly undoOps?: readonly Json[];
  /** Fields that the undo changeset cannot reach. */
  readonly kept?: readonly string[];
  /** The document was deleted: the changeset creates it again. */
  readonly create?: true;
}

/**
 * Compares two states of a stored document (review details 2 and 4).
 * @throws DashError STORAGE_NOT_FOUND for a document or a revision, STORAGE_CAPABILITY_UNSUPPORTED without a history.
 */
export async function getChanges(
  store: DocumentStore,
  types: NodeTypes,
  id: string,
  { from, to, undo = false }: ChangesRequest,
): Promise<ChangesAnswer> {
  const before = await versionAt(store, id, from ?? (await previousRevision(store, id)));
  const isDeleted = undo && !(await store.exists(id));
  const current = undo ? await (isDeleted ? emptyPage(id) : versionAt(store, id)) : undefined;
  const after = to === undefined && current !== undefined ? current : await versionAt(store, id, to);
  const undone = current === undefined ? undefined : undoOps(id, current, before, types);
  return {
    ...describeChanges(before, after, types),
    ...defined({ undoOps: undone?.ops, kept: undone?.kept, create: isDeleted ? (true as const) : undefined }),
  };
}

/** Two states as data and in words. */
export function describeChanges(before: JsonObject, after: JsonObject, types: NodeTypes): ChangesAnswer {
  return { ...changesBetween(before, after, types), words: wordsBetween(before, after, types) };
}

/** Uncommitted edits compare with the newest commit, otherwise the newest with the one before; the first with itself. */
async function previousRevision(store: DocumentStore, id: string): Promise<string | undefined> {
  const [newest, previous] = await store.history(id, { limit: 2 });
  const current = await store.revision(id);
  return newest?.revision === current ? (previous ?? newest)?.revision : newest?.revision;
}

/** The revision that an undo leads to: the one before the stored state. @throws DashError STORAGE_NOT_FOUND for the first one. */
export async function revisionBefore(store: DocumentStore, id: string): Promise<string> {
  const current = await store.revision(id);
  const previous = await previousRevision(store, id);
  if (previous === undefined || previous === current) throw notFound(id, 'the one before the first');
  return previous;
}

/** The document at a revision, or as it is stored. */
export async function versionAt(store: DocumentStore, id: string, revision?: string): Promise<JsonObject> {
  const bytes = revision === undefined ? (await store.load(id)).bytes : await store.loadAt(id, revision);
  return readStored(id, bytes).document;
}

/** A commit with what it changed. */
export interface HistoryWithWords extends HistoryEntry {
  /** Absent for a deletion and for a state that cannot be read. */
  readonly words?: readonly string[];
  /** This commit deleted the document, or left one that cannot be read. */
  readonly gone?: true;
}

/** The commits of a document, newest first, each with its changes in words; the first one has none. */
export async function historyWithWords(
  store: DocumentStore,
  types: NodeTypes,
  id: string,
  part: HistoryPart = {},
): Promise<HistoryWithWords[]> {
  const { limit } = part;
  // The oldest one is compared with the one before it.
  const wanted = limit === undefined ? part : { ...part, limit: limit + 1 };
  const entries = await store.history(id, wanted);
  const states = await Promise.all(
    entries.map(({ revision }) => versionAt(store, id, revision).catch(() => undefined)),
  );
  return entries.slice(0, limit).map((entry, index) => {
    const [after, before] = [states[index], states[index + 1]];
    if (after === undefined) return { ...entry, gone: true };
    if (before === undefined) return entry;
    return { ...entry, words: wordsBetween(before, after, types).map(({ text }) => text) };
  });
}
