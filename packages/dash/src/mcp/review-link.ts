import { createHash } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { defined } from '@msg/foundation/json';
import { ownMember } from '../document/json.ts';
import { type ProposalRequest, proposalName } from '../proposals/proposal.ts';
import type { ReviewServer } from './review-server.ts';

const SHORT_URL = 512;
const LONGEST_URL = 16 * 1024;
const CHECK_LENGTH = 6;
const NO_ADDRESS =
  'start dashdoc mcp with --review-url <address of dashdoc serve> to get a link for the human';

/** A link for a person, or what would give one; the proposal when it was handed over. */
export interface ReviewLink {
  readonly reviewUrl?: string;
  readonly reviewHint?: string;
  readonly proposal?: string;
}

/**
 * The link under which a person reviews a changeset (review details 3.1): the changeset itself in the fragment where
 * that is short, else a proposal that `dashdoc serve` holds. `handOver` skips the short form.
 */
export async function reviewLink(
  server: ReviewServer | undefined,
  request: ProposalRequest,
  { handOver, signal }: { readonly handOver: boolean; readonly signal?: AbortSignal },
): Promise<ReviewLink> {
  if (server === undefined) return { reviewHint: NO_ADDRESS };
  const fragment = `${server.address}/review#${fragmentOf(request)}`;
  if (!handOver && fragment.length <= SHORT_URL) return { reviewUrl: fragment };
  const proposal = proposalName(request);
  const answer = await server.ask({ path: '/api/proposals', body: request, ...defined({ signal }) });
  if ('body' in answer && ownMember(answer.body, 'proposal') === proposal) {
    return { reviewUrl: `${server.address}/r/${proposal}`, proposal };
  }
  const failure = 'failure' in answer ? answer.failure : 'the address answers, but not as dashdoc serve does';
  const reviewHint = `${failure}: start dashdoc serve at ${server.address}, then validate again`;
  return fragment.length <= LONGEST_URL ? { reviewUrl: fragment, reviewHint } : { reviewHint };
}

/** `v1.<check>.<payload>`: the payload is base64url of the deflated changeset, the check finds a damaged copy. */
function fragmentOf({ id, ops, baseRevision, create, note }: ProposalRequest): string {
  const content = JSON.stringify(defined({ id, ops, baseRevision, create, note }));
  const payload = deflateRawSync(content, { level: 9 }).toString('base64url');
  const check = createHash('sha256').update(payload).digest('base64url').slice(0, CHECK_LENGTH);
  return `v1.${check}.${payload}`;
}
