import { type ManifestPayload, type ManifestRateLimit, MsgError } from '@msg/core';
import { formatDuration } from '@msg/core/internal';
import { defined } from '@msg/foundation/json';
import type { VerifiedToken } from '../auth/tokens/claims.ts';
import type { RateDecision, RateLimiter } from './contract.ts';
import { claimedLimit, isLimited, type RateLimit, requireWindow, UNLIMITED } from './limit.ts';
import { type PublishRule, PublishRules } from './publish-rules.ts';

/** The configured buckets; an absent one is unlimited. */
export interface RateLimitOptions {
  readonly publish?: RateLimit;
  readonly subscribe?: RateLimit;
  readonly tokenIssue?: RateLimit;
  /** Openings of declared channels by clients, per user, else per address; default 10 per second, burst 50. */
  readonly open?: RateLimit;
  /** Requests with operations of append streams. */
  readonly append?: RateLimit;
  /** Publish limits by channel pattern, besides `publish`; the most specific one applies. */
  readonly perChannelPublish?: readonly PublishRule[];
}

/** Names of the buckets in stores and metrics. Client publishes have their own buckets. */
export type Bucket = GeneralBucket | 'publish-channel' | 'publish-channel-client';
type GeneralBucket = PublishBucket | 'subscribe' | 'token-issue' | 'open' | 'append';
type PublishBucket = 'publish' | 'publish-client';

/** Default limit of openings by clients (messaging details 24.2). */
const DEFAULT_OPEN_LIMIT: RateLimit = { rate: 10, perMs: 1000, burst: 50 };

const CHANNEL_BUCKETS = {
  publish: 'publish-channel',
  'publish-client': 'publish-channel-client',
} as const;

/** How many events of a decision were accepted, and how many were not. */
export interface RateOutcome {
  readonly accepted: number;
  readonly refused: number;
}

/** The permits of one request for several publishes. */
export interface PublishPermits {
  /** As {@link RateLimits.takePublish} for the next publish of the request. */
  take(channel: string): Promise<void> | undefined;
}

export interface RateLimitsSetup {
  readonly limiter: RateLimiter;
  readonly limits: RateLimitOptions;
  readonly onDecision: (bucket: Bucket, decision: RateOutcome) => void;
}

function manifestLimit({ rate, perMs, burst }: RateLimit): ManifestRateLimit {
  return { rate: Math.max(rate, 0), per: formatDuration(perMs), burst };
}

/** The rate limits of the service. Source: messaging details, section 13. */
export class RateLimits {
  readonly #limiter: RateLimiter;
  readonly #onDecision: RateLimitsSetup['onDecision'];
  readonly #publish: RateLimit;
  readonly #subscribe: RateLimit;
  readonly #tokenIssue: RateLimit;
  readonly #open: RateLimit;
  readonly #append: RateLimit;
  readonly #perChannel: PublishRules;

  /** @throws MsgError MSG_INVALID_ARGUMENT for a rate without window. */
  constructor({ limiter, limits, onDecision }: RateLimitsSetup) {
    this.#limiter = limiter;
    this.#onDecision = onDecision;
    this.#publish = requireWindow('publish', limits.publish ?? UNLIMITED);
    this.#subscribe = requireWindow('subscribe', limits.subscribe ?? UNLIMITED);
    this.#perChannel = new PublishRules(limits.perChannelPublish ?? []);
    this.#tokenIssue = requireWindow('token_issue', limits.tokenIssue ?? UNLIMITED);
    this.#open = requireWindow('open', limits.open ?? DEFAULT_OPEN_LIMIT);
    this.#append = requireWindow('append', limits.append ?? UNLIMITED);
  }

  /**
   * Takes one event from a bucket; the `rl` claim of the token lowers its limit.
   * @returns undefined for an unlimited bucket, without a promise
   * @throws MsgError MSG_RATE_LIMITED, or MSG_INTERNAL when the limiter fails, as rejection.
   */
  take(
    bucket: GeneralBucket,
    subject: string,
    token: VerifiedToken | null = null,
  ): Promise<void> | undefined {
    const limit = this.#limitOf(bucket);
    const claimed = claimedLimit(token?.claims.rl);
    if (!isLimited(limit) && !isLimited(claimed)) return undefined;
    return this.#take(bucket, subject, [limit, claimed].filter(isLimited));
  }

  /**
   * For `count` publishes of one request: the first of them takes the permits of all from the general bucket, in one
   * decision. Those beyond what it accepts are refused.
   */
  permits(
    bucket: PublishBucket,
    subject: string,
    token: VerifiedToken | null,
    count: number,
  ): PublishPermits {
    const limits = [this.#limitOf(bucket), claimedLimit(token?.claims.rl)].filter(isLimited);
    let decision: Promise<RateDecision> | undefined;
    let next = 0;
    return {
      take: channel => {
        if (limits.length === 0) return this.#thenOfChannel(bucket, subject, channel, undefined);
        decision ??= this.#decide(bucket, subject, limits, count);
        return this.#thenOfChannel(bucket, subject, channel, permit(bucket, decision, next++));
      },
    };
  }

  /** As {@link take} for a publish: takes from the general bucket, then from that of the channel's most specific rule. */
  takePublish(
    bucket: PublishBucket,
    subject: string,
    channel: string,
    token: VerifiedToken | null,
  ): Promise<void> | undefined {
    return this.#thenOfChannel(bucket, subject, channel, this.take(bucket, subject, token));
  }

  #thenOfChannel(
    bucket: PublishBucket,
    subject: string,
    channel: string,
    general: Promise<void> | undefined,
  ): Promise<void> | undefined {
    const rule = this.#perChannel.of(channel);
    if (rule === undefined || !isLimited(rule.limit)) return general;
    const limited = () => this.#take(CHANNEL_BUCKETS[bucket], `${rule.pattern}:${subject}`, [rule.limit]);
    return general === undefined ? limited() : general.then(limited);
  }

  #take(bucket: Bucket, subject: string, limits: readonly RateLimit[]): Promise<void> {
    return permit(bucket, this.#decide(bucket, subject, limits, 1), 0);
  }

  #decide(
    bucket: Bucket,
    subject: string,
    limits: readonly RateLimit[],
    count: number,
  ): Promise<RateDecision> {
    return this.#limiter.take(bucket, subject, limits, count).then(
      decision => {
        const { accepted } = decision;
        this.#onDecision(bucket, { accepted, refused: count - accepted });
        return decision;
      },
      (cause: unknown) => {
        if (cause instanceof MsgError) throw cause;
        throw new MsgError('MSG_INTERNAL', 'the rate limiter does not answer', { cause });
      },
    );
  }

  #limitOf(bucket: GeneralBucket): RateLimit {
    switch (bucket) {
      case 'publish':
      case 'publish-client':
        return this.#publish;
      case 'subscribe':
        return this.#subscribe;
      case 'token-issue':
        return this.#tokenIssue;
      case 'open':
        return this.#open;
      case 'append':
        return this.#append;
    }
  }

  /** The limits in the form of the manifest. */
  manifest(): ManifestPayload['rate_limits'] {
    const perChannel = [...this.#perChannel].map(({ pattern, limit }) => ({
      pattern,
      limit: manifestLimit(limit),
    }));
    return {
      publish: manifestLimit(this.#publish),
      subscribe: manifestLimit(this.#subscribe),
      token_issue: manifestLimit(this.#tokenIssue),
      ...defined({ per_channel_publish: perChannel.length === 0 ? undefined : perChannel }),
    };
  }
}

/** @throws MsgError MSG_RATE_LIMITED, as rejection, unless the decision has a permit of this number, from 0 on. */
async function permit(bucket: Bucket, decision: Promise<RateDecision>, number: number): Promise<void> {
  const { accepted, retryAfterMs } = await decision;
  if (number < accepted) return;
  throw new MsgError('MSG_RATE_LIMITED', `the ${bucket} rate is exceeded`, { retryAfterMs });
}
