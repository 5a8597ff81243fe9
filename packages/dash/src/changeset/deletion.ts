import { DashError } from '../errors.ts';
import { type DocumentStore, revisionConflict, type SaveOptions } from '../store/contract.ts';

/** A deletion; it always says of which state. */
export interface DeletionRequest {
  readonly id: string;
  readonly expectedRevision: string;
  readonly trailers?: SaveOptions['trailers'];
}

/**
 * Deletes a document under its lock (review details 3.5).
 * @returns the revision of the deletion, where the store keeps history.
 * @throws DashError STORAGE_NOT_FOUND, CHANGESET_REVISION_CONFLICT, CHANGESET_REVISION_UNSUPPORTED.
 */
export async function deleteDocument(
  store: DocumentStore,
  { id, expectedRevision, trailers }: DeletionRequest,
): Promise<string | undefined> {
  return store.exclusively(id, async document => {
    const { revision } = await document.load();
    if (revision === undefined) {
      const message = 'Expecting a revision on this store is not allowed: it keeps no revisions.';
      throw new DashError('CHANGESET_REVISION_UNSUPPORTED', message, { id });
    }
    if (revision !== expectedRevision) throw revisionConflict(id, expectedRevision, revision);
    return document.delete(trailers === undefined ? {} : { trailers });
  });
}
