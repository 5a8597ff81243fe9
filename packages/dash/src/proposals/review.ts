import { defined } from '@msg/foundation/json';
import { applyChangeset } from '../changeset/apply.ts';
import { parseChangeset } from '../changeset/parse.ts';
import type { Sentence } from '../changeset/words.ts';
import type { JsonObject } from '../document/json.ts';
import { DashError, type ErrorEnvelope } from '../errors.ts';
import { describeChanges } from '../reads/changes.ts';
import type { DocumentEngine } from '../reads/document-engine.ts';
import type { DocumentStore } from '../store/contract.ts';
import type { Proposal, ProposalState } from './proposal.ts';

/** A proposal as a reviewer sees it. */
export interface ReviewAnswer {
  readonly proposal: string;
  readonly id: string;
  readonly state: ProposalState['kind'];
  /** Of `committed`. */
  readonly revision?: string;
  /** Of `returned`. */
  readonly comment?: string;
  readonly via: Proposal['via'];
  readonly note?: string;
  readonly proposer?: { readonly name: string; readonly version: string };
  readonly create?: boolean;
  /** The revision that a commit expects. */
  readonly baseRevision?: string;
  /** The base revision that was proposed cannot be had any more: the words compare with another state. */
  readonly baseIsGone?: boolean;
  /** Whether the stored document is still the base. */
  readonly current: boolean;
  readonly proposedAt: string;
  readonly ops: readonly unknown[];
  /** Absent where the operations do not apply to the base. */
  readonly words?: readonly Sentence[];
  /** Why the result cannot be committed. */
  readonly problem?: ErrorEnvelope;
}

/** What a proposal would do, in words, and whether it can be committed (review details 3.2). */
export async function reviewOf(
  proposal: Proposal,
  store: DocumentStore,
  engine: Pick<DocumentEngine, 'types' | 'resolve'>,
): Promise<ReviewAnswer> {
  const { name, request, via, base, proposedAt, state } = proposal;
  const { id, ops, note, proposer, create } = request;
  const tried = attempt(proposal, engine);
  return defined({
    proposal: name,
    id,
    state: state.kind,
    revision: state.kind === 'committed' ? state.revision : undefined,
    comment: state.kind === 'returned' ? state.comment : undefined,
    via,
    note,
    proposer,
    create,
    baseRevision: base.revision,
    baseIsGone: base.isExact ? undefined : true,
    current: await isCurrent(store, proposal),
    proposedAt: new Date(proposedAt).toISOString(),
    ops,
    words:
      tried.after === undefined ? undefined : describeChanges(base.document, tried.after, engine.types).words,
    problem: tried.problem,
  });
}

function attempt(
  { request: { id, ops }, base }: Proposal,
  { types, resolve }: Pick<DocumentEngine, 'types' | 'resolve'>,
): { readonly after?: JsonObject; readonly problem?: ErrorEnvelope } {
  let after: JsonObject | undefined;
  try {
    after = applyChangeset(id, base.document, parseChangeset([...ops]), types);
    resolve(after);
    return { after };
  } catch (error) {
    if (!(error instanceof DashError)) throw error;
    return defined({ after, problem: error.toEnvelope() });
  }
}

async function isCurrent(store: DocumentStore, { request, base }: Proposal): Promise<boolean> {
  if (request.create === true) return !(await store.exists(request.id));
  if (!store.capabilities.has('revisions')) return true;
  try {
    return (await store.revision(request.id)) === base.revision;
  } catch (error) {
    if (error instanceof DashError) return false;
    throw error;
  }
}
