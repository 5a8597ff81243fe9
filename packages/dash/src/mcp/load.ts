import { defined } from '@msg/foundation/json';
import { requireNesting } from '../changeset/applied.ts';
import { withKnownIds } from '../store/known-ids.ts';
import { readStored, type StoredDocument } from '../store/stored-document.ts';
import type { ToolContext } from './tool.ts';

interface Loaded {
  readonly stored: StoredDocument;
  readonly revision?: string;
}

/**
 * Loads a document as it is stored, or as it was at a revision.
 * @throws DashError STORAGE_*, RESOLVE_DOCUMENT_INVALID for too deep nesting
 */
export async function load(id: string, { store }: ToolContext, at?: string): Promise<Loaded> {
  const { bytes, revision } = await withKnownIds(store, id, async () =>
    at === undefined ? store.load(id) : { bytes: await store.loadAt(id, at), revision: at },
  );
  const stored = readStored(id, bytes);
  requireNesting(id, stored.document);
  return defined({ stored, revision });
}
