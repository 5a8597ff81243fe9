import { defined } from '@msg/foundation/json';
import type { Hono } from 'hono';
import { wordsBetween } from '../changeset/words.ts';
import { titleOf } from '../document/title.ts';
import { DashError } from '../errors.ts';
import type { Proposal } from '../proposals/proposal.ts';
import { outcomeOf, reviewOf } from '../proposals/review.ts';
import type { Compared } from '../web/compare/compare.ts';
import { jsonPage } from '../web/review/json-page.ts';
import { proposalsPage } from '../web/review/proposals-page.ts';
import { reviewPage } from '../web/review/review-page.ts';
import { subjectText } from '../web/review/subject.ts';
import { unknownPage } from '../web/review/unknown-page.ts';
import type { ChangeParts } from './change-routes.ts';
import type { SentPage } from './pages.ts';
import { asPage, type Env, type Request, route } from './routes.ts';

/** The pages on which people read proposals and decide (page and review 2). */
export function addReviewRoutes(app: Hono<Env>, parts: ChangeParts): void {
  route(app, '/review', { GET: asPage(async () => openList(parts)) });
  route(app, '/r/:name', { GET: asPage(request => page(parts, request, openReview)) });
  route(app, '/r/:name/json', { GET: asPage(request => page(parts, request, openJson)) });
}

type OpenPage = (parts: ChangeParts, proposal: Proposal, request: Request) => Promise<SentPage>;

/** The page of a proposal; of one that is not held, what to do about it. */
async function page(parts: ChangeParts, request: Request, open: OpenPage): Promise<SentPage> {
  let proposal: Proposal;
  try {
    proposal = parts.proposals.get(request.req.param('name') ?? '');
  } catch (error) {
    if (!(error instanceof DashError) || error.code !== 'PROPOSAL_NOT_FOUND') throw error;
    const sent = parts.pages.review(around => unknownPage(error, around));
    return { ...sent, status: 404 };
  }
  return open(parts, proposal, request);
}

async function openReview(parts: ChangeParts, proposal: Proposal, request: Request): Promise<SentPage> {
  const { pages, store, engine } = parts;
  const answer = await reviewOf(proposal, store, engine);
  const compared = await compare(parts, proposal);
  const isWhole = compared !== undefined && request.req.query('$view') === 'page';
  const whole = isWhole ? await pages.wholePages(compared) : undefined;
  const others = parts.proposals
    .list(proposal.request.id)
    .filter(({ name, state }) => state.kind === 'open' && name !== proposal.name)
    .map(({ name }) => name);
  const title = titleOf(proposal.base.document) ?? proposal.request.id;
  return pages.review(around =>
    reviewPage({ ...around, answer, title, others, ...defined({ compared, whole }) }),
  );
}

async function openJson({ pages, engine }: ChangeParts, proposal: Proposal): Promise<SentPage> {
  const { after } = outcomeOf(proposal, engine);
  return pages.review(around =>
    jsonPage({ ...around, proposal, before: proposal.base.document, ...defined({ after }) }),
  );
}

/** What waits for a decision. */
function openList({ pages, proposals, engine }: ChangeParts): SentPage {
  const open = proposals.list().filter(({ state }) => state.kind === 'open');
  const listed = open.map(proposal => {
    const { id, note, proposer, create } = proposal.request;
    const { after } = outcomeOf(proposal, engine);
    const words = after === undefined ? [] : wordsBetween(proposal.base.document, after, engine.types);
    return {
      name: proposal.name,
      id,
      subject: subjectText(id, note, words),
      proposedAt: new Date(proposal.proposedAt).toISOString(),
      create: create === true,
      ...defined({ proposer }),
    };
  });
  return pages.review(around => proposalsPage({ ...around, proposals: listed }));
}

/** Undefined where the operations do not apply to the base. */
async function compare({ pages, engine }: ChangeParts, proposal: Proposal): Promise<Compared | undefined> {
  const { after } = outcomeOf(proposal, engine);
  if (after === undefined) return undefined;
  const waiting = proposal.via === 'link' ? ('all' as const) : ('some' as const);
  const held = proposal.runsQueries === true ? undefined : waiting;
  return pages.compare({ before: proposal.base.document, after, ...defined({ held }) });
}
