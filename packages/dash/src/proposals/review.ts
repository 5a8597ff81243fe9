import { defined } from '@msg/foundation/json';
import { applyChangeset } from '../changeset/apply.ts';
import { withMaskedCredentials } from '../changeset/credential-mask.ts';
import { parseChangeset } from '../changeset/parse.ts';
import type { Sentence } from '../changeset/words.ts';
import type { JsonObject } from '../document/json.ts';
import { DashError, type ErrorEnvelope } from '../errors.ts';
import { describeChanges } from '../reads/changes.ts';
import type { DocumentEngine } from '../reads/document-engine.ts';
import type { Warning } from '../reads/warnings/warning.ts';
import { warningsOf } from '../reads/warnings/warnings.ts';
import type { DocumentStore } from '../store/contract.ts';
import type { Proposal, ProposalState, ProposedInverse } from './proposal.ts';

/** A proposal as a reviewer sees it. */
export interface ReviewAnswer {
  readonly proposal: string;
  readonly id: string;
  readonly state: ProposalState['kind'];
  /** Of `committed`. */
  readonly revision?: string;
  /** Of `committed`, where the commit asked for it: the way back. */
  readonly inverse?: ProposedInverse;
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
  /** What is worth a look in the document that the operations make. */
  readonly warnings?: readonly Warning[];
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
  const tried = outcomeOf(proposal, engine);
  return defined({
    proposal: name,
    id,
    state: state.kind,
    revision: state.kind === 'committed' ? state.revision : undefined,
    inverse: state.kind === 'committed' ? state.inverse : undefined,
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
    warnings: warningsIn(tried, engine),
    problem: tried.problem,
  });
}

/** What became of a proposal's operations on its base. */
interface Outcome {
  readonly after?: JsonObject;
  readonly tree?: ReturnType<DocumentEngine['resolve']>;
  readonly problem?: ErrorEnvelope;
}

/** The document that a proposal makes of its base, and why it cannot be committed; without the first, no operation applies. */
export function outcomeOf(
  { request: { id, ops }, base }: Proposal,
  { types, resolve }: Pick<DocumentEngine, 'types' | 'resolve'>,
): Outcome {
  let after: JsonObject | undefined;
  try {
    after = applyChangeset(id, base.document, parseChangeset([...ops]), types);
    return { after, tree: resolve(after) };
  } catch (caught) {
    const error = withMaskedCredentials(caught, ops);
    if (!(error instanceof DashError)) throw error;
    return defined({ after, problem: error.toEnvelope() });
  }
}

/** The warnings about the result; undefined without any, and for a result that does not resolve. */
function warningsIn(
  { after, tree }: Outcome,
  { types }: Pick<DocumentEngine, 'types'>,
): Warning[] | undefined {
  const warnings = after === undefined || tree === undefined ? [] : warningsOf(after, tree, types);
  return warnings.length === 0 ? undefined : warnings;
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
