import { defined } from '@msg/foundation/json';
import { isJsonObject, ownMember } from '../document/json.ts';
import { DashError } from '../errors.ts';
import type { DocumentStore } from '../store/contract.ts';
import { readStored } from '../store/stored-document.ts';

export interface DocumentListing {
  readonly id: string;
  readonly title?: string;
}

/** Answer of `dash_list_dashboards`: an unreadable document is listed by its id alone (dashboard details 13.3). */
export async function listDashboards(store: DocumentStore): Promise<{ dashboards: DocumentListing[] }> {
  const dashboards: DocumentListing[] = [];
  for (const id of await store.list()) {
    dashboards.push(defined({ id, title: await titleOf(store, id) }));
  }
  return { dashboards };
}

async function titleOf(store: DocumentStore, id: string): Promise<string | undefined> {
  try {
    const manifest = ownMember(readStored(id, (await store.load(id)).bytes).document, 'manifest');
    const title = isJsonObject(manifest) ? ownMember(manifest, 'title') : undefined;
    return typeof title === 'string' ? title : undefined;
  } catch (error) {
    if (error instanceof DashError) return undefined;
    throw error;
  }
}
