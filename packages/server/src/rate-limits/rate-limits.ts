import { formatDuration, type ManifestPayload, type ManifestRateLimit, MsgError } from '@msg/core';
import type { Clock } from '@msg/engine';
import type { VerifiedToken } from '../tokens/claims.ts';
import type { RateLimiter } from './contract.ts';
import { claimedLimit, isLimited, type RateLimit, requireWindow, UNLIMITED } from './limit.ts';

/** The configured buckets; an absent one is unlimited. */
export interface RateLimitOptions {
  readonly publish?: RateLimit;
  readonly subscribe?: RateLimit;
  readonly tokenIssue?: RateLimit;
}

/** Names of the buckets as stores and metrics see them. Client publishes count apart from operators'. */
export type Bucket = 'publish' | 'publish-client' | 'subscribe' | 'token-issue';

export interface RateLimitsSetup {
  readonly limiter: RateLimiter;
  readonly clock: Clock;
  readonly limits: RateLimitOptions;
  readonly onDecision: (bucket: Bucket, allowed: boolean) => void;
}

function shown({ rate, perMs, burst }: RateLimit): ManifestRateLimit {
  return { rate: Math.max(rate, 0), per: formatDuration(perMs), burst };
}

/** The rate limits of the service. Source: messaging details, section 13. */
export class RateLimits {
  readonly #limiter: RateLimiter;
  readonly #clock: Clock;
  readonly #onDecision: RateLimitsSetup['onDecision'];
  readonly #publish: RateLimit;
  readonly #subscribe: RateLimit;
  readonly #tokenIssue: RateLimit;

  /** @throws MsgError MSG_INVALID_ARGUMENT for a rate without window. */
  constructor({ limiter, clock, limits, onDecision }: RateLimitsSetup) {
    this.#limiter = limiter;
    this.#clock = clock;
    this.#onDecision = onDecision;
    this.#publish = requireWindow('publish', limits.publish ?? UNLIMITED);
    this.#subscribe = requireWindow('subscribe', limits.subscribe ?? UNLIMITED);
    this.#tokenIssue = requireWindow('token_issue', limits.tokenIssue ?? UNLIMITED);
  }

  /**
   * Takes one event out of a bucket; the `rl` claim of the token tightens it.
   * @throws MsgError MSG_RATE_LIMITED, or MSG_INTERNAL when the limiter fails.
   */
  async take(bucket: Bucket, subject: string, token: VerifiedToken | null = null): Promise<void> {
    const configured = this.#limitOf(bucket);
    const claimed = claimedLimit(token?.claims.rl);
    if (!isLimited(configured) && !isLimited(claimed)) return;
    const limits = [configured, claimed].filter(isLimited);
    const { allowed, retryAfterMs } = await this.#limiter
      .take(bucket, subject, limits, this.#clock.now())
      .catch((cause: unknown) => {
        throw new MsgError('MSG_INTERNAL', 'the rate limiter does not answer', { cause });
      });
    this.#onDecision(bucket, allowed);
    if (!allowed) throw new MsgError('MSG_RATE_LIMITED', `the ${bucket} rate is exceeded`, { retryAfterMs });
  }

  #limitOf(bucket: Bucket): RateLimit {
    switch (bucket) {
      case 'publish':
      case 'publish-client':
        return this.#publish;
      case 'subscribe':
        return this.#subscribe;
      case 'token-issue':
        return this.#tokenIssue;
    }
  }

  /** The limits as the manifest shows them. */
  manifest(): ManifestPayload['rate_limits'] {
    return {
      publish: shown(this.#publish),
      subscribe: shown(this.#subscribe),
      token_issue: shown(this.#tokenIssue),
    };
  }
}
