import type { Json } from '../document/json.ts';
import { DashError } from '../errors.ts';
import { readStored } from '../store/stored-document.ts';
import type { ChangesetContext } from './applied.ts';
import { changesBetween } from './changes.ts';
import { rebaseOperations } from './rebase.ts';

const MOST_CHANGES = 50;

/**
 * A conflict of revisions with what changed in between, where the store can tell, and which of the operations still
 * apply (review details 7.2); any other error as it is.
 */
export async function withConflictHelp(
  context: ChangesetContext<unknown>,
  id: string,
  ops: unknown,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof DashError) || error.code !== 'CHANGESET_REVISION_CONFLICT') return error;
  try {
    const { expected } = error.details;
    const { document } = readStored(id, (await context.store.load(id)).bytes);
    const { ops: remaining, failing } = rebaseOperations(id, document, ops as Json[], context);
    const rebase = { applies: remaining.length, of: (ops as Json[]).length, failing };
    const between = await changesSince(context, id, String(expected));
    return new DashError(error.code, error.message, { ...error.details, rebase, ...between });
  } catch (further) {
    // The document is gone or unreadable by now: the conflict itself still stands.
    if (further instanceof DashError) return error;
    throw further;
  }
}

async function changesSince({ store, types }: ChangesetContext<unknown>, id: string, revision: string) {
  if (!store.capabilities.has('history')) return {};
  try {
    const [old, current] = await Promise.all([store.loadAt(id, revision), store.load(id)]);
    const { changes } = changesBetween(
      readStored(id, old).document,
      readStored(id, current.bytes).document,
      types,
    );
    return { changes: changes.slice(0, MOST_CHANGES) };
  } catch (error) {
    if (error instanceof DashError) return {};
    throw error;
  }
}
