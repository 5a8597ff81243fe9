import { defined } from '@msg/foundation/json';
import { nearest } from '@msg/foundation/suggest';
import { DashError } from '../errors.ts';
import { versionAt } from '../reads/changes.ts';
import type { DocumentEngine } from '../reads/document-engine.ts';
import { getOutline, type OutlineNode } from '../reads/outline.ts';
import type { DocumentStore, HistoryEntry } from '../store/contract.ts';
import type { ErrorPlace } from '../web/error-page.ts';

/** Revisions that are tried for the last one that resolves. */
const MOST_TRIED = 20;
const MOST_NEAR = 5;

/** What helps a person on from a dashboard that cannot be shown: where it breaks, and the ways to others. */
export async function placeOfError(
  store: DocumentStore,
  engine: DocumentEngine,
  id: string,
  error: DashError,
): Promise<ErrorPlace> {
  const isKnown = await store.exists(id).catch(() => false);
  const history = await historyOf(store, id);
  const address = `/d/${encodeURIComponent(id)}`;
  const place = { id, address, hasHistory: history.length > 0 };
  if (!isKnown) return { ...place, near: await nearIds(store, id) };
  if (error.code === 'STORAGE_NOT_FOUND') return { ...place, near: [] }; // a revision of a document that exists
  const [outline, lastGood] = await Promise.all([
    outlineOf(store, engine, id),
    lastGoodOf(store, engine, id, history),
  ]);
  return defined({ ...place, near: [], outline, lastGood });
}

async function nearIds(store: DocumentStore, id: string): Promise<string[]> {
  return nearest(id, await store.list()).slice(0, MOST_NEAR);
}

async function historyOf(store: DocumentStore, id: string): Promise<HistoryEntry[]> {
  return codedAs([], () =>
    store.capabilities.has('history') ? store.history(id, { limit: MOST_TRIED }) : Promise.resolve([]),
  );
}

/** The stored tree; undefined for bytes that are no document. */
async function outlineOf(
  store: DocumentStore,
  engine: DocumentEngine,
  id: string,
): Promise<OutlineNode | undefined> {
  return codedAs(undefined, async () => getOutline(id, await versionAt(store, id), engine).root);
}

/** The newest commit whose document resolves today. */
async function lastGoodOf(
  store: DocumentStore,
  engine: DocumentEngine,
  id: string,
  history: readonly HistoryEntry[],
): Promise<HistoryEntry | undefined> {
  for (const entry of history) {
    const resolves = async (): Promise<boolean> => {
      engine.resolve(await versionAt(store, id, entry.revision));
      return true;
    };
    if (await codedAs(false, resolves)) return entry;
  }
  return undefined;
}

/** What `work` gives, or `other` when it fails with a coded error. */
async function codedAs<T>(other: T, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DashError) return other;
    throw error;
  }
}
