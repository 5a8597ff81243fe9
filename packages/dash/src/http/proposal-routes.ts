import { defined } from '@msg/foundation/json';
import { object, required, textThat } from '@msg/foundation/shape';
import type { Hono } from 'hono';
import { rebaseOperations } from '../changeset/rebase.ts';
import type { JsonObject } from '../document/json.ts';
import { DashError } from '../errors.ts';
import { PROPOSAL_BODY, readBase, readProposal } from '../proposals/hand-over.ts';
import type { Proposal } from '../proposals/proposal.ts';
import { reviewOf } from '../proposals/review.ts';
import { describeChanges, versionAt } from '../reads/changes.ts';
import { jsonBodyOf, readShape } from './body.ts';
import type { ChangeParts } from './change-routes.ts';
import { RequestError } from './request-error.ts';
import { type Env, json, type Request, route } from './routes.ts';

const LONGEST_WAIT_S = 45;
const MOST_COMMENT = 2_000;

const RETURN = object({
  comment: required(
    textThat(`a text of at most ${MOST_COMMENT} characters`, value => value.length <= MOST_COMMENT, {
      maxLength: MOST_COMMENT,
    }),
    'what is to be changed',
  ),
});

/** Proposals: handed over, read, waited for, sent back and tried again on the stored document (review details 2). */
export function addProposalRoutes(app: Hono<Env>, parts: ChangeParts): void {
  const { store, engine, proposals } = parts;
  const answer = async (request: Request, proposal: Proposal, status = 200) =>
    json(request, await reviewOf(proposal, store, engine), status);
  route(app, '/api/proposals', {
    GET: request => {
      const listed = proposals.list(request.req.query('id'));
      return json(request, { proposals: listed.map(summaryOf) });
    },
    POST: async request => {
      const handed = readProposal(bodyOfProposal(await jsonBodyOf(request.req.raw)));
      const via = request.req.header('sec-fetch-site') === undefined ? 'handed' : 'link';
      return answer(request, proposals.add(handed, via, await readBase(store, handed)), 201);
    },
  });
  route(app, '/api/proposals/:name', {
    GET: async request => {
      const seconds = waitOf(request.req.query('wait'));
      const name = nameOf(request);
      const proposal = await proposals.wait(name, seconds * 1_000, request.req.raw.signal);
      return answer(request, proposal);
    },
  });
  route(app, '/api/proposals/:name/return', {
    POST: async request => {
      const { comment } = readShape(RETURN, await jsonBodyOf(request.req.raw));
      await proposals.decide(nameOf(request), async () => [{ kind: 'returned', comment }, undefined]);
      return answer(request, proposals.get(nameOf(request)));
    },
  });
  route(app, '/api/proposals/:name/run', {
    POST: async request => {
      await jsonBodyOf(request.req.raw);
      return answer(request, proposals.letQueriesRun(nameOf(request)));
    },
  });
  route(app, '/api/proposals/:name/rebase', {
    POST: async request => {
      await jsonBodyOf(request.req.raw);
      return json(request, await rebase(parts, proposals.get(nameOf(request))));
    },
  });
}

/** The operations that still apply become a proposal of their own; nothing is committed without a second look. */
async function rebase({ store, engine, proposals }: ChangeParts, { request, base, via }: Proposal) {
  const { id, ops } = request;
  const document = await versionAt(store, id);
  const rebased = rebaseOperations(id, document, ops, engine);
  const tried = { applies: rebased.ops.length, of: ops.length, failing: rebased.failing };
  const between = describeChanges(base.document, document, engine.types).words;
  if (rebased.ops.length === 0) return { ...tried, between };
  const { create: _, baseRevision: __, ...members } = request;
  const current = await readBase(store, { ...members, ops: rebased.ops });
  const again = defined({ ...members, baseRevision: current.revision, ops: rebased.ops });
  const next = proposals.add(again, via, current);
  return { ...tried, proposal: next.name, between };
}

/** Names and state, without the operations. */
function summaryOf({ name, request, via, proposedAt, state }: Proposal): object {
  const { id, note, proposer } = request;
  const { kind, ...decision } = state;
  return {
    proposal: name,
    id,
    state: kind,
    ...decision,
    via,
    note,
    proposer,
    proposedAt: new Date(proposedAt).toISOString(),
  };
}

/** A wrong body is a wrong proposal. @throws DashError PROPOSAL_INVALID. */
function bodyOfProposal(body: JsonObject) {
  try {
    return readShape(PROPOSAL_BODY, body);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    throw new DashError('PROPOSAL_INVALID', error.message, error.details);
  }
}

function waitOf(text: string | undefined): number {
  if (text === undefined) return 0;
  if (/^\d{1,2}$/.test(text) && Number(text) <= LONGEST_WAIT_S) return Number(text);
  throw new RequestError(
    400,
    `wait must be a number of seconds from 0 to ${LONGEST_WAIT_S}; got "${text.slice(0, 20)}".`,
  );
}

function nameOf(request: Request): string {
  return request.req.param('name') ?? '';
}
