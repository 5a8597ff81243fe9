import { canonicalBytesWithin } from '../document/canonical.ts';
import { isJsonObject, type JsonObject, ownMember, setMember } from '../document/json.ts';
import { MAX_DOCUMENT_BYTES } from '../document/size.ts';
import { DashError } from '../errors.ts';
import type { DocumentStore, HistoryEntry } from '../store/contract.ts';

/** Stored bytes of a document, current or at a revision. */
export async function showDocument(store: DocumentStore, id: string, revision?: string): Promise<Uint8Array> {
  return revision === undefined ? (await store.load(id)).bytes : store.loadAt(id, revision);
}

export async function documentHistory(
  store: DocumentStore,
  id: string,
): Promise<{ id: string; history: HistoryEntry[] }> {
  return { id, history: await store.history(id) };
}

/** A page without children. */
export function emptyPage(): JsonObject {
  return {
    manifest: { formatVersion: '1.0.0', id: '' },
    root: { id: 'page', type: 'container', children: [] },
  };
}

/** A copy of `document` with another id, and optionally another title. */
export function renamed(document: JsonObject, id: string, title?: string): JsonObject {
  const stored = ownMember(document, 'manifest');
  const manifest: JsonObject = isJsonObject(stored) ? { ...stored, id } : { id };
  if (title !== undefined) setMember(manifest, 'title', title);
  return { ...document, manifest };
}

/**
 * Stores a new document. @throws DashError STORAGE_EXISTS for an id in use, STORAGE_INVALID for a document that is too
 * large
 */
export async function createDocument(
  store: DocumentStore,
  id: string,
  document: JsonObject,
): Promise<string | undefined> {
  const bytes = canonicalBytesWithin(MAX_DOCUMENT_BYTES, document);
  if (bytes === undefined) {
    const message = `Document "${id}" must be at most ${MAX_DOCUMENT_BYTES} bytes; got more.`;
    throw new DashError('STORAGE_INVALID', message, { id, reason: 'size' });
  }
  return store.save(id, bytes, { create: true, message: `Create dashboard ${id}` });
}
