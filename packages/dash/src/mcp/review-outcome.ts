import { defined } from '@msg/foundation/json';
import { ownMember } from '../document/json.ts';
import type { ReviewServer } from './review-server.ts';
import type { ToolCall } from './tool-call.ts';

const LONGEST_WAIT_S = 45;
/** For the answer to a wait, on top of the wait. */
const MARGIN_MS = 2_000;
const NAME = /^[a-z2-7]{10}$/;

/** What became of a proposal (review details 7.5). */
export interface Outcome {
  readonly state: 'committed' | 'returned' | 'open' | 'declined';
  /** Of `committed`. */
  readonly revision?: string;
  /** Of `returned`: what the person asks for. */
  readonly comment?: string;
}

/**
 * What the person decided, after the host asked to open the review; waits at most 45 seconds. The proposal is the one
 * that the client names: it must be of the same document, and a forged name can only tell the state of another proposal
 * of it.
 */
export async function outcomeOf(
  server: ReviewServer | undefined,
  id: string,
  { answer, state = '', signal }: ToolCall,
): Promise<Outcome | undefined> {
  if (answer === undefined || server === undefined) return undefined;
  if (answer !== 'accept') return { state: 'declined' };
  if (!NAME.test(state)) return { state: 'open' };
  const path = `/api/proposals/${state}?wait=${LONGEST_WAIT_S}`;
  const told = await server.ask({ path, wholeMs: LONGEST_WAIT_S * 1_000 + MARGIN_MS, signal });
  if (!('body' in told) || ownMember(told.body, 'id') !== id) return { state: 'open' };
  const text = (member: string): string | undefined => {
    const value = ownMember(told.body, member);
    return typeof value === 'string' ? value : undefined;
  };
  if (text('state') === 'committed')
    return { state: 'committed', ...defined({ revision: text('revision') }) };
  if (text('state') === 'returned') return { state: 'returned', ...defined({ comment: text('comment') }) };
  return { state: 'open' };
}
