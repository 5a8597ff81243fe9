import type { Clock, TimerHandle } from '@msg/foundation/clock';
import {
  type Broker,
  DEFAULT_META_TTL_MS,
  type HistoryResult,
  type StreamPosition,
} from '../broker/contract.ts';
import type { Limits } from '../limits.ts';
import type { Policy } from '../policy.ts';
import type { HubChannel, Subscriber } from './hub-channel.ts';

/** The checks of all channels after a loss are spread over this time, milliseconds (client protocol 16.7). */
const RESTORED_JITTER_MS = 1000;

interface CheckerContext {
  readonly broker: Broker;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly policy: Policy;
  reportError(error: unknown): void;
}

/**
 * Finds broker messages that were lost unnoticed: compares the positions of a quiet channel's subscribers with the top of
 * the stream (client protocol 11.6). One check per channel and node serves all its subscribers.
 */
export class PositionChecker {
  readonly #context: CheckerContext;
  /** Scheduled rechecks. */
  readonly #waiting = new Set<TimerHandle>();

  constructor(context: CheckerContext) {
    this.#context = context;
  }

  /** Checks the channel unless it was active or checked within `positionCheckMs`. */
  checkIfQuiet(channel: HubChannel): void {
    const { clock, limits } = this.#context;
    if (clock.monotonic() - channel.verifiedAt >= limits.positionCheckMs) this.#checkNow(channel);
  }

  /** Checks the channel within the jitter, even an active one: messages may have been lost. */
  checkSoon(channel: HubChannel, jitter: number): void {
    if (!channel.subscribers.some(({ positioned }) => positioned)) return;
    const { clock } = this.#context;
    const timer = clock.setTimeout(() => {
      this.#waiting.delete(timer);
      this.#checkNow(channel);
    }, RESTORED_JITTER_MS * jitter);
    this.#waiting.add(timer);
  }

  #checkNow(channel: HubChannel): void {
    if (channel.checking) return;
    channel.checking = true;
    this.#check(channel)
      .catch(this.#context.reportError)
      .finally(() => {
        channel.checking = false;
      });
  }

  async #check(channel: HubChannel): Promise<void> {
    const earlier = await this.#topUnlessReached(channel);
    if (earlier === null) return;
    // A stored publication may still be on its way: only a subscriber that stays behind has lost one.
    await this.#pause();
    const before = new Map(channel.subscribers.map(subscription => [subscription, subscription.offset]));
    const top = await this.#readTop(channel);
    const lost: Subscriber[] = [];
    let isVerified = true;
    for (const [subscription, then] of before) {
      // A subscriber that advanced during the read may be ahead of the top.
      if (subscription.offset !== then || !subscription.isBehind(top.offset, top.epoch)) continue;
      if (lacksOnlyNewer(subscription, earlier, top)) isVerified = false;
      else lost.push(subscription);
    }
    if (lost.some(subscription => isAhead(subscription, top))) {
      isVerified = false; // those at the top have the former epoch
      await this.#renewEpoch(channel, top.epoch);
    }
    for (const subscription of lost)
      if (subscription.isBehind(top.offset, top.epoch)) subscription.onContinuityLost();
    // Otherwise the next tick checks again.
    if (isVerified) channel.verifiedAt = this.#context.clock.monotonic();
  }

  /** The stream was rewound: no position of before may go on (client protocol 11.6). */
  async #renewEpoch(channel: HubChannel, seen: string): Promise<void> {
    const { broker, reportError } = this.#context;
    try {
      await broker.renewEpoch(channel.name, seen);
    } catch (error) {
      reportError(error); // the subscribers recover all the same
    }
  }

  /** Cancels the scheduled rechecks. */
  stop(): void {
    for (const timer of this.#waiting) this.#context.clock.clearTimeout(timer);
    this.#waiting.clear();
  }

  #pause(): Promise<void> {
    const { clock, limits } = this.#context;
    return new Promise(resolve => {
      const timer = clock.setTimeout(() => {
        this.#waiting.delete(timer);
        resolve();
      }, limits.positionRecheckMs);
      this.#waiting.add(timer);
    });
  }

  /** The top of the stream; null when every subscriber is there. */
  async #topUnlessReached(channel: HubChannel): Promise<StreamPosition | null> {
    const top = await this.#readTop(channel);
    if (channel.subscribers.some(subscription => subscription.isBehind(top.offset, top.epoch))) return top;
    channel.verifiedAt = this.#context.clock.monotonic();
    return null;
  }

  #readTop(channel: HubChannel): Promise<HistoryResult> {
    const { broker, policy } = this.#context;
    const metaTtlMs = policy.streamOptions?.(channel.name).metaTtlMs ?? DEFAULT_META_TTL_MS;
    return broker.history(channel.name, { limit: 0 }, metaTtlMs);
  }
}

/**
 * Whether a subscriber has everything up to an earlier top, and lacks only what was stored since then, which may be on its
 * way.
 */
function lacksOnlyNewer(subscription: Subscriber, earlier: StreamPosition, top: StreamPosition): boolean {
  const { offset } = subscription;
  if (earlier.epoch !== top.epoch || subscription.isBehind(offset, top.epoch)) return false;
  return earlier.offset <= offset && offset < top.offset;
}

/** Whether a subscriber has more of this epoch than the stream itself. Only for one that is not at the top. */
function isAhead(subscription: Subscriber, top: StreamPosition): boolean {
  const { offset } = subscription;
  return offset > top.offset && !subscription.isBehind(offset, top.epoch);
}
