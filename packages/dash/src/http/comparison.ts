import { defined } from '@msg/foundation/json';
import { titleOf } from '../document/title.ts';
import { revisionBefore, versionAt } from '../reads/changes.ts';
import type { DocumentStore } from '../store/contract.ts';
import { type ComparedState, comparePage } from '../web/compare-page.ts';
import type { ChangeParts } from './change-routes.ts';
import type { SentPage } from './pages.ts';

/** Which states are compared; the one before the stored one, and the stored one, unless told. */
export interface ComparedRevisions {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly isWhole: boolean;
}

/** @throws DashError STORAGE_NOT_FOUND, STORAGE_CAPABILITY_UNSUPPORTED without a history. */
export async function openComparison(
  { pages, store }: ChangeParts,
  id: string,
  { from, to, isWhole }: ComparedRevisions,
): Promise<SentPage> {
  const old = from ?? (await revisionBefore(store, id));
  const before = await versionAt(store, id, old);
  const after = await versionAt(store, id, to);
  const compared = await pages.compare({ before, after });
  const whole = isWhole ? await pages.wholePages(compared) : undefined;
  const states = { from: await stateOf(store, id, old), to: await stateOf(store, id, to) };
  const title = titleOf(after) ?? id;
  return pages.review(around => comparePage(defined({ ...around, id, title, ...states, compared, whole })));
}

async function stateOf(store: DocumentStore, id: string, asked: string | undefined): Promise<ComparedState> {
  const present = (await store.exists(id)) ? await store.revision(id) : undefined;
  const name = asked ?? present;
  const commit = name === undefined ? undefined : await store.entry(id, name);
  const revision = commit?.revision ?? name;
  return defined({ revision, commit, isCurrent: revision !== undefined && revision === present });
}
