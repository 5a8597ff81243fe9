import { canonicalBytes } from '#src/document/canonical.ts';
import { isJsonObject, type JsonObject, ownMember, setMember } from '#src/document/json.ts';
import type { DocumentStore, HistoryEntry } from '#src/store/contract.ts';
import { readStored } from '#src/store/stored-document.ts';

/** One line of a listing; the title only where it can be read. */
export interface Listed {
  readonly id: string;
  readonly title?: string;
}

/** All documents of a store by id; an unreadable one is listed too (dashboard details 13.3). */
export async function listDocuments(store: DocumentStore): Promise<{ dashboards: Listed[] }> {
  const ids = await store.list();
  return { dashboards: await Promise.all(ids.map(id => listed(store, id))) };
}

/** Stored bytes of a document, now or at a revision. */
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

/** `document` under another id, and under another title where one is given. */
export function renamed(document: JsonObject, id: string, title?: string): JsonObject {
  const stored = ownMember(document, 'manifest');
  const manifest: JsonObject = { ...(isJsonObject(stored) ? stored : {}), id };
  if (title !== undefined) setMember(manifest, 'title', title);
  return { ...document, manifest };
}

/** Stores a new document. @throws DashError STORAGE_EXISTS for an id that is taken. */
export async function createDocument(
  store: DocumentStore,
  id: string,
  document: JsonObject,
): Promise<string | undefined> {
  return store.save(id, canonicalBytes(document), { create: true, message: `Create dashboard ${id}` });
}

async function listed(store: DocumentStore, id: string): Promise<Listed> {
  try {
    const { document } = readStored(id, (await store.load(id)).bytes);
    const manifest = ownMember(document, 'manifest');
    const title = isJsonObject(manifest) ? ownMember(manifest, 'title') : undefined;
    return typeof title === 'string' && title !== '' ? { id, title } : { id };
  } catch {
    return { id };
  }
}
