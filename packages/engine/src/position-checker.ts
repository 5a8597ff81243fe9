import { DEFAULT_META_TTL_MS, type HistoryResult } from './broker/contract.ts';
import type { HubChannel } from './hub.ts';
import type { NodeContext } from './session/context.ts';

type CheckerContext = Pick<NodeContext, 'broker' | 'clock' | 'limits' | 'policy' | 'reportError'>;

/**
 * Finds broker messages that were lost without a trace: when a channel was quiet for a while, its subscribers'
 * positions are compared with the top of the stream (client protocol 11.6). One check per channel and node
 * serves all its subscribers.
 */
export class PositionChecker {
  readonly #context: CheckerContext;

  constructor(context: CheckerContext) {
    this.#context = context;
  }

  /** Checks the channel unless it was active, or checked, lately. */
  checkIfQuiet(channel: HubChannel): void {
    const { clock, limits } = this.#context;
    if (channel.checking || clock.now() - channel.verifiedAt < limits.positionCheckMs) return;
    channel.checking = true;
    this.#check(channel)
      .catch(this.#context.reportError)
      .finally(() => {
        channel.checking = false;
      });
  }

  async #check(channel: HubChannel): Promise<void> {
    if (await this.#allAtTop(channel)) return;
    // A publication may be stored and still on its way: only what is behind after a while has lost something.
    await new Promise<void>(resolve => {
      this.#context.clock.setTimeout(resolve, this.#context.limits.positionRecheckMs);
    });
    const { offset, epoch } = await this.#readTop(channel);
    for (const subscription of [...channel.subscribers]) {
      if (subscription.isBehind(offset, epoch)) subscription.session.lostContinuity(subscription);
    }
    channel.verifiedAt = this.#context.clock.now();
  }

  async #allAtTop(channel: HubChannel): Promise<boolean> {
    const { offset, epoch } = await this.#readTop(channel);
    if (channel.subscribers.some(subscription => subscription.isBehind(offset, epoch))) return false;
    channel.verifiedAt = this.#context.clock.now();
    return true;
  }

  #readTop(channel: HubChannel): Promise<HistoryResult> {
    const { broker, policy } = this.#context;
    const metaTtlMs = policy.streamOptions?.(channel.name).metaTtlMs ?? DEFAULT_META_TTL_MS;
    return broker.history(channel.name, { limit: 0 }, metaTtlMs);
  }
}
