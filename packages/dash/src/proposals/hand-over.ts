import { defined } from '@msg/foundation/json';
import { anyJson, type Infer, object, optional, required, text, textThat } from '@msg/foundation/shape';
import { parseChangeset } from '../changeset/parse.ts';
import { emptyPage } from '../document/empty-page.ts';
import type { Json, JsonObject } from '../document/json.ts';
import { DashError } from '../errors.ts';
import { versionAt } from '../reads/changes.ts';
import { type DocumentStore, storageExists } from '../store/contract.ts';
import type { ProposalBase, ProposalRequest } from './proposal.ts';

const MOST_NOTE = 500;
const MOST_NAME = 200;

const shortText = (most: number) =>
  textThat(`a text of at most ${most} characters`, value => value.length <= most, { maxLength: most });

/** The body that hands a proposal over (review details 3.1). */
export const PROPOSAL_BODY = object({
  id: required(
    textThat('a non-empty text', id => id !== '', { minLength: 1 }),
    'id of the document',
  ),
  ops: required(anyJson, 'the whole changeset'),
  baseRevision: optional(text, 'the revision that it was made for'),
  create: optional(anyJson, 'true for a document that does not exist yet'),
  note: optional(shortText(MOST_NOTE), 'what the proposer says about it'),
  proposer: optional(
    object({
      name: required(shortText(MOST_NAME), 'name of the client'),
      version: required(shortText(MOST_NAME), 'its version'),
    }),
    'who proposes, not verified',
  ),
});

/**
 * The request of a body. Its operations must be well-formed; whether they apply is for the review to show.
 * @throws DashError PROPOSAL_INVALID `{reason}`.
 */
export function readProposal({ ops, create, ...members }: Infer<typeof PROPOSAL_BODY>): ProposalRequest {
  if (create !== undefined && create !== true) throw invalid('create must be true or absent');
  if (create === true && members.baseRevision !== undefined) throw invalid('create has no baseRevision');
  if (!Array.isArray(ops) || ops.length === 0) throw invalid('ops must be a list of one operation or more');
  try {
    parseChangeset(ops);
  } catch (error) {
    if (error instanceof DashError) throw invalid(error.message);
    throw error;
  }
  const proposal = { ...members, ops: ops as Json[] };
  return create === true ? { ...proposal, create } : proposal;
}

/**
 * The document that a proposal is based on: at its base revision where that can be had, else as it is stored now.
 * @throws DashError STORAGE_NOT_FOUND, STORAGE_EXISTS for a creation, STORAGE_INVALID.
 */
export async function readBase(store: DocumentStore, request: ProposalRequest): Promise<ProposalBase> {
  const { id, create, baseRevision } = request;
  if (create === true) {
    if (await store.exists(id)) throw storageExists(id);
    return { document: emptyPage(id), isExact: true };
  }
  const current = store.capabilities.has('revisions') ? await store.revision(id) : undefined;
  const document = await versionAt(store, id);
  if (baseRevision === undefined || baseRevision === current)
    return defined({ document, revision: current, isExact: true });
  const old = await documentAt(store, id, baseRevision);
  if (old === undefined) return defined({ document, revision: current, isExact: false });
  return { document: old, revision: baseRevision, isExact: true };
}

async function documentAt(
  store: DocumentStore,
  id: string,
  revision: string,
): Promise<JsonObject | undefined> {
  if (!store.capabilities.has('history')) return undefined;
  try {
    return await versionAt(store, id, revision);
  } catch (error) {
    if (error instanceof DashError) return undefined;
    throw error;
  }
}

function invalid(reason: string): DashError {
  return new DashError('PROPOSAL_INVALID', `The proposal is not valid: ${reason}.`.replace(/\.\.$/, '.'), {
    reason,
  });
}
