import type { Random } from '@msg/foundation/clock';
import { lua } from '@msg/redis';
import type { SharedStore } from '../../stores/redis/shared-store.ts';
import type { RateDecision, RateLimiter } from '../contract.ts';
import { capacity, type RateLimit } from '../limit.ts';

const TAKE = lua('./take.lua', import.meta.url);

/**
 * How long a log outlives its longest window, which also bounds the difference between nodes' estimates of the store's
 * time.
 */
const SLACK_MS = 10_000;

/** The limiter that all nodes share: one sorted set of accepted events per subject (messaging details, section 13). */
export class RedisRateLimiter implements RateLimiter {
  readonly #store: SharedStore;
  /** Distinguishes this node's events from those of other nodes in the same millisecond. */
  readonly #tag: string;
  #count = 0;

  constructor(store: SharedStore, random: Random) {
    this.#store = store;
    this.#tag = Buffer.from(random.bytes(8)).toString('base64url');
  }

  async take(
    bucket: string,
    subject: string,
    limits: readonly RateLimit[],
    count: number,
  ): Promise<RateDecision> {
    const log = this.#store.key(`rl:${bucket}:${subject}`);
    const events = `${this.#tag}:${(this.#count++).toString(36)}`;
    const bounds = limits.flatMap(limit => [capacity(limit), limit.perMs]);
    const answer = await this.#store.run(
      TAKE,
      [log, `${log}:window`],
      [this.#store.now(), events, SLACK_MS, count, ...bounds],
    );
    const [accepted, retryAfterMs] = answer as [number, string]; // what the script returns
    return { accepted, retryAfterMs: Number(retryAfterMs) };
  }
}
