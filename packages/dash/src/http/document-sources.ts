import { createHash } from 'node:crypto';
import { defined } from '@msg/foundation/json';
import { canonicalText } from '../document/canonical.ts';
import type { JsonObject } from '../document/json.ts';
import { DashError } from '../errors.ts';
import type { ProposalList } from '../proposals/proposal-list.ts';
import type { DocumentEngine } from '../reads/document-engine.ts';
import { type DocumentStore, notFound, unsupported } from '../store/contract.ts';
import { readStored, requireMatchingId } from '../store/stored-document.ts';
import type { DocumentSource } from './document-routes.ts';
import { placeOfError } from './error-place.ts';
import type { DocumentAtRevision } from './pages.ts';
import type { Request } from './routes.ts';

/** The file that is served. */
export function fileSource(read: () => Promise<JsonObject>): DocumentSource {
  return {
    read: async (_request, at) => {
      if (at !== undefined) throw unsupported('', 'history');
      return { document: await read() };
    },
    key: () => '',
    fingerprint: () =>
      read().then(
        document => digest(canonicalText(document)),
        (error: unknown) => (error instanceof DashError ? digest(error.message) : undefined),
      ),
  };
}

/** What the documents of a store are read with. */
export interface StoreSourceParts {
  readonly store: DocumentStore;
  readonly engine: DocumentEngine;
  readonly proposals: ProposalList;
}

/** A document of a store. */
export function storeSource(parts: StoreSourceParts, id: (request: Request) => string): DocumentSource {
  const { store, engine } = parts;
  return {
    read: (request, at) =>
      at === undefined ? presentDocument(parts, id(request)) : oldDocument(parts, id(request), at),
    key: id,
    fingerprint: request => revisionOf(store, id(request)),
    around: (request, error) => placeOfError(store, engine, id(request), error),
  };
}

async function presentDocument(parts: StoreSourceParts, id: string): Promise<DocumentAtRevision> {
  const { bytes, revision } = await parts.store.load(id);
  const stored = readStored(id, bytes);
  requireMatchingId(id, stored);
  const commit = revision === undefined ? undefined : await parts.store.entry(id, revision);
  return defined({ document: stored.document, revision, commit, links: linksOf(parts, id) });
}

async function oldDocument(parts: StoreSourceParts, id: string, at: string): Promise<DocumentAtRevision> {
  const { store } = parts;
  if (!store.capabilities.has('history')) throw unsupported(id, 'history');
  const { document } = readStored(id, await store.loadAt(id, at));
  const commit = await store.entry(id, at);
  const revision = commit?.revision ?? at;
  const isCurrent = (await store.exists(id)) && (await store.revision(id)) === revision;
  return defined({ document, revision, commit, links: linksOf(parts, id), old: { isCurrent } });
}

function linksOf({ proposals }: StoreSourceParts, id: string) {
  return { address: `/d/${encodeURIComponent(id)}`, proposals: openProposals(proposals, id) };
}

/** Names of the open proposals of a document. */
export function openProposals(proposals: ProposalList, id: string): string[] {
  return proposals.list(id).flatMap(({ name, state }) => (state.kind === 'open' ? [name] : []));
}

async function revisionOf(store: DocumentStore, id: string): Promise<string | undefined> {
  try {
    if (store.capabilities.has('revisions')) return await store.revision(id);
    return digest((await store.load(id)).bytes);
  } catch (error) {
    if (error instanceof DashError && error.code === notFound(id).code) return undefined;
    throw error;
  }
}

const digest = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');
