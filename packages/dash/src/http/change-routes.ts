import { defined } from '@msg/foundation/json';
import type { Hono } from 'hono';
import { changesBetween } from '../changeset/changes.ts';
import { deleteDocument } from '../changeset/deletion.ts';
import {
  type CommitRequest,
  type CommitResult,
  commitChangeset,
  tryChangeset,
} from '../changeset/pipeline.ts';
import { jsonEqual } from '../document/canonical.ts';
import { DashError } from '../errors.ts';
import type { Proposal } from '../proposals/proposal.ts';
import type { ProposalList } from '../proposals/proposal-list.ts';
import { getChanges } from '../reads/changes.ts';
import { warningsOf } from '../reads/warnings/warnings.ts';
import type { ResolvedTree } from '../resolve/tree.ts';
import type { DocumentStore } from '../store/contract.ts';
import { bodyOf, jsonBodyOf } from './body.ts';
import { type PatchBody, readDeletion, readPatchBody } from './change-bodies.ts';
import { type Env, idOf, json, type Request, type RouteParts, route } from './routes.ts';

/** What the routes that change documents are made with. */
export interface ChangeParts extends RouteParts {
  readonly store: DocumentStore;
  readonly proposals: ProposalList;
  /** Name of the user that a trusted proxy gives. */
  userOf(request: Request): string | undefined;
}

/** Commit, dry run, deletion, and the comparison of two states (review details 2). */
export function addChangeRoutes(app: Hono<Env>, parts: ChangeParts): void {
  const { store, engine, pages } = parts;
  const context = { store, ...engine };
  route(app, '/api/patch', {
    POST: async request => {
      const body = readPatchBody(await bodyOf(request.req.raw));
      const committed = await commit(parts, body, parts.userOf(request));
      pages.documentsChanged();
      const { result, ...answer } = committed;
      return json(request, body.result === 'none' ? answer : { ...answer, result });
    },
  });
  route(app, '/api/validate', {
    POST: async request => {
      const { result, commit: changeset } = readPatchBody(await bodyOf(request.req.raw));
      const { before, after, tree, revision } = await tryChangeset(context, changeset);
      const warnings = warningsOf(after, tree, engine.types);
      return json(request, {
        ok: true,
        ...defined({ preview: result === 'none' ? undefined : tree, baseRevision: revision }),
        ...changesBetween(before, after, engine.types),
        ...defined({ warnings: warnings.length === 0 ? undefined : warnings }),
      });
    },
  });
  route(app, '/api/delete', {
    POST: async request => {
      const deletion = readDeletion(await jsonBodyOf(request.req.raw));
      const trailers = trailersOf(undefined, parts.userOf(request));
      const revision = await deleteDocument(store, { ...deletion, trailers });
      pages.documentsChanged();
      return json(request, defined({ id: deletion.id, revision }));
    },
  });
  route(app, '/api/d/:id/changes', {
    GET: async request => {
      const query = (name: string) => request.req.query(name);
      const asked = { from: query('from'), to: query('to'), undo: query('undo') === '1' };
      return json(request, await getChanges(store, engine.types, idOf(request), asked));
    },
  });
}

/** A commit of a proposal is its decision: it is made once, and of exactly what was proposed. */
async function commit(
  { store, engine, proposals }: ChangeParts,
  { commit: changeset, proposal: name }: PatchBody,
  user: string | undefined,
): Promise<CommitResult<ResolvedTree>> {
  const context = { store, ...engine };
  if (name === undefined)
    return commitChangeset(context, { ...changeset, trailers: trailersOf(undefined, user) });
  return proposals.decide(name, async proposal => {
    requireSame(proposal, changeset);
    const committed = await commitChangeset(context, { ...changeset, trailers: trailersOf(proposal, user) });
    const { revision, inverse } = committed;
    return [defined({ kind: 'committed' as const, revision, inverse }), committed];
  });
}

function trailersOf(proposal: Proposal | undefined, user: string | undefined): Record<string, string> {
  const { proposer } = proposal?.request ?? {};
  return defined({
    'Dash-Proposal': proposal?.name,
    'Dash-Proposed-By': proposer && `${proposer.name} ${proposer.version}`,
    'Dash-Committed-By': user,
  });
}

/** @throws DashError PROPOSAL_INVALID: a commit must not carry the name of a proposal with other operations. */
function requireSame({ name, request }: Proposal, { id, ops, create }: CommitRequest): void {
  const isSame = id === request.id && create === request.create && jsonEqual([...request.ops], ops as never);
  if (isSame) return;
  const reason = `the operations are not those of proposal "${name}"`;
  throw new DashError('PROPOSAL_INVALID', `The commit is not valid: ${reason}.`, { proposal: name, reason });
}
