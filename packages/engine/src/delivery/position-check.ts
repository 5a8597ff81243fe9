import type { Clock, TimerHandle } from '@msg/foundation/clock';
import { type Broker, DEFAULT_META_TTL_MS, type HistoryResult } from '../broker/contract.ts';
import type { Limits } from '../limits.ts';
import type { Policy } from '../policy.ts';
import type { HubChannel } from './hub-channel.ts';

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
    if (await this.#allAtTop(channel)) return;
    // A stored publication may still be on its way: only a subscriber that stays behind has lost one.
    await this.#pause();
    const before = new Map(channel.subscribers.map(subscription => [subscription, subscription.offset]));
    const { offset, epoch } = await this.#readTop(channel);
    for (const [subscription, then] of before) {
      // A subscriber that advanced during the read may be ahead of the top.
      if (subscription.offset !== then || !subscription.isBehind(offset, epoch)) continue;
      subscription.onContinuityLost();
    }
    channel.verifiedAt = this.#context.clock.monotonic();
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

  async #allAtTop(channel: HubChannel): Promise<boolean> {
    const { offset, epoch } = await this.#readTop(channel);
    if (channel.subscribers.some(subscription => subscription.isBehind(offset, epoch))) return false;
    channel.verifiedAt = this.#context.clock.monotonic();
    return true;
  }

  #readTop(channel: HubChannel): Promise<HistoryResult> {
    const { broker, policy } = this.#context;
    const metaTtlMs = policy.streamOptions?.(channel.name).metaTtlMs ?? DEFAULT_META_TTL_MS;
    return broker.history(channel.name, { limit: 0 }, metaTtlMs);
  }
}
