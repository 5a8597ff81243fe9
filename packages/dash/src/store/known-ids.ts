import { nearest } from '@msg/foundation/suggest';
import { DashError } from '../errors.ts';
import type { DocumentStore } from './contract.ts';

/** Ids that an unknown document's error names. */
const MOST_KNOWN = 10;

/**
 * Runs `work` on a document. An unknown id is answered with the ids that are nearest, and with the way to a new document
 * (review details 3.5); an unknown revision of a known one as it is.
 * @throws DashError STORAGE_NOT_FOUND `{id, known, hint}`, or what `work` throws.
 */
export async function withKnownIds<T>(store: DocumentStore, id: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isUnknown = error instanceof DashError && error.code === 'STORAGE_NOT_FOUND';
    if (!isUnknown || error.details['revision'] !== undefined) throw error;
    const ids = await store.list().catch(() => []);
    throw new DashError('STORAGE_NOT_FOUND', error.message, {
      ...error.details,
      known: nearest(id, ids).slice(0, MOST_KNOWN),
      hint: 'create: true',
    });
  }
}
