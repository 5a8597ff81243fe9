import { MsgError } from '@msg/core';
import { actorOf } from '../auth/access/actor.ts';
import type { Principal } from '../auth/access/principal.ts';
import type { PairIssuer } from '../auth/tokens/issuer.ts';
import type { NodeSurveys, SurveyQuestion } from '../realtime/node-surveys.ts';
import { requireFewFeeds, type Topic } from './feed.ts';
import type { StartedTail, TailAnswer } from './feed-tails.ts';
import { type Feeds, TOKEN_MS } from './feeds.ts';
import { holderOf, ownerOf } from './holder.ts';
import type { TailRequest } from './tail.ts';

interface OwnedFeed {
  readonly feed: string;
  readonly owner: string;
}
/** Tags travel as a list. */
interface TailQuestion extends OwnedFeed {
  readonly request: Omit<TailRequest, 'tags'> & { readonly tags: readonly (readonly [string, string])[] };
}

const COUNT: SurveyQuestion<{ readonly owner: string }, number> = { operation: 'msg_feed_count' };
const RENEW: SurveyQuestion<OwnedFeed, string | null> = { operation: 'msg_feed_renew' };
const CLOSE: SurveyQuestion<OwnedFeed, boolean> = { operation: 'msg_feed_close' };
const START: SurveyQuestion<TailQuestion, TailAnswer | null> = { operation: 'msg_tail_start' };
const STOP: SurveyQuestion<OwnedFeed & { readonly tail: string }, boolean> = { operation: 'msg_tail_stop' };

/** A feed with the next token for its channel. */
export interface FeedAccess {
  readonly feed: string;
  readonly channel: string;
  readonly access_token: string;
  readonly access_expires_unix: number;
}

/** The feeds of all nodes: each has those that it opened, and any node finds them. */
export class ClusterFeeds {
  readonly #local: Feeds;
  readonly #surveys: NodeSurveys;
  readonly #issuer: Pick<PairIssuer, 'accessOnly'>;

  constructor(local: Feeds, surveys: NodeSurveys, issuer: Pick<PairIssuer, 'accessOnly'>) {
    this.#local = local;
    this.#surveys = surveys;
    this.#issuer = issuer;
    surveys.answer(COUNT, ({ owner }) => local.countOf(owner));
    surveys.answer(RENEW, async ({ feed, owner }) => (await local.renew(feed, owner)) ?? null);
    surveys.answer(CLOSE, ({ feed, owner }) => local.close(feed, owner));
    surveys.answer(START, async ({ feed, owner, request }) => {
      const answer = await local.startTail(feed, owner, { ...request, tags: new Map(request.tags) });
      return answer ?? null;
    });
    surveys.answer(STOP, ({ feed, owner, tail }) => local.stopTail(feed, owner, tail));
  }

  /** @throws MsgError MSG_INVALID_ARGUMENT at a limit: those of a caller count on every node that answers */
  async open(principal: Principal, topics: ReadonlySet<Topic>): Promise<FeedAccess> {
    const { answers } = await this.#surveys.ask(COUNT, { owner: ownerOf(holderOf(principal)) });
    requireFewFeeds([...answers.values()].reduce((sum, count) => sum + count, 0));
    const { id, channel } = await this.#local.open(principal, topics);
    return this.#access(principal, id, channel);
  }

  /** @throws MsgError MSG_INVALID_ARGUMENT for a feed that is not the caller's, or has ended */
  async renew(principal: Principal, feed: string): Promise<FeedAccess> {
    const { answers } = await this.#surveys.ask(RENEW, owned(principal, feed));
    const channel = [...answers.values()].find(answer => answer !== null);
    if (channel === undefined || channel === null) throw unknownFeed();
    return this.#access(principal, feed, channel);
  }

  /** @throws MsgError MSG_INVALID_ARGUMENT as {@link renew} */
  async close(principal: Principal, feed: string): Promise<void> {
    const { answers } = await this.#surveys.ask(CLOSE, owned(principal, feed));
    if (![...answers.values()].includes(true)) throw unknownFeed();
  }

  /** @throws MsgError MSG_INVALID_ARGUMENT as {@link renew}, and at a limit */
  async startTail(principal: Principal, feed: string, request: TailRequest): Promise<StartedTail> {
    const question = { ...owned(principal, feed), request: { ...request, tags: [...request.tags] } };
    const { answers, missing } = await this.#surveys.ask(START, question);
    const answer = [...answers.values()].find(ofNode => ofNode !== null);
    if (answer === undefined || answer === null) {
      if (missing.some(({ reason }) => reason === 'failed'))
        throw new MsgError('MSG_BROKER_NOT_READY', 'the node of the feed cannot listen to the channel');
      throw unknownFeed();
    }
    if ('refused' in answer) throw new MsgError('MSG_INVALID_ARGUMENT', answer.refused);
    return answer;
  }

  /** @throws MsgError MSG_INVALID_ARGUMENT for a tail that the feed does not have */
  async stopTail(principal: Principal, feed: string, tail: string): Promise<void> {
    const { answers } = await this.#surveys.ask(STOP, { ...owned(principal, feed), tail });
    if (![...answers.values()].includes(true))
      throw new MsgError('MSG_INVALID_ARGUMENT', 'no such tail: it has ended, or its feed has');
  }

  #access(principal: Principal, feed: string, channel: string): FeedAccess {
    const grant = {
      subject: actorOf(principal).actor,
      scopes: [{ pat: channel, v: ['subscribe'] }],
    } as const;
    const { token, expiresUnix } = this.#issuer.accessOnly(grant, undefined, TOKEN_MS);
    return { feed, channel, access_token: token, access_expires_unix: expiresUnix };
  }
}

function owned(principal: Principal, feed: string): OwnedFeed {
  return { feed, owner: ownerOf(holderOf(principal)) };
}

function unknownFeed(): MsgError {
  return new MsgError('MSG_INVALID_ARGUMENT', 'no such feed: it has ended, or another credential opened it');
}
