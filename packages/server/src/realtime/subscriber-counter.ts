import { MsgError } from '@msg/core';
import type { RealtimeNode, SurveyAnswer } from '@msg/engine';
import type { ChannelManager } from '../channels/manager.ts';
import { storeReadFailure } from '../stores/redis/store-failure.ts';

/** The survey for a node's live subscriptions of a channel. */
const OPERATION = 'msg_subscribers';
const UNKNOWN: SurveyAnswer = { code: 404, data: new Uint8Array(0) };

export type CounterNode = Pick<RealtimeNode, 'operational' | 'id' | 'nodes' | 'subscriberCount' | 'survey'>;

/** Answers the surveys of the service on this node. */
export async function answerSurvey(
  node: Pick<RealtimeNode, 'subscriberCount'>,
  operation: string,
  data: Uint8Array,
): Promise<SurveyAnswer> {
  if (operation !== OPERATION) return UNKNOWN;
  const count = node.subscriberCount(new TextDecoder().decode(data));
  return { code: 0, data: new TextEncoder().encode(String(count)) };
}

/** Counts subscribers on all nodes. */
export class SubscriberCounter {
  readonly #node: CounterNode;
  readonly #channels: Pick<ChannelManager, 'get'>;

  constructor(node: CounterNode, channels: Pick<ChannelManager, 'get'>) {
    this.#node = node;
    this.#channels = channels;
  }

  /**
   * As {@link count}, for a known channel.
   * @throws MsgError MSG_CHANNEL_INVALID, MSG_CHANNEL_NOT_FOUND
   */
  async presence(channel: string): Promise<number> {
    await this.#channels.get(channel);
    return this.count(channel);
  }

  /**
   * Live subscriptions of a channel.
   * @throws MsgError MSG_BROKER_NOT_READY while this node is not running or its store fails, MSG_BROKER_INTERNAL when a
   * live node does not answer, because the count would be wrong
   */
  async count(channel: string): Promise<number> {
    const node = this.#node;
    if (!node.operational) throw new MsgError('MSG_BROKER_NOT_READY', 'the broker is not running');
    if (node.nodes().length <= 1) return node.subscriberCount(channel);
    try {
      return await this.#countEverywhere(channel);
    } catch (cause) {
      const failure = storeReadFailure(cause);
      if (failure !== undefined) throw failure;
      throw new MsgError('MSG_BROKER_INTERNAL', 'the listeners could not be counted', { cause });
    }
  }

  async #countEverywhere(channel: string): Promise<number> {
    const answers = await this.#node.survey(OPERATION, new TextEncoder().encode(channel));
    // A node that crashed during the survey no longer counts as live, nor do its subscriptions.
    const silent = this.#node.nodes().filter(id => answers.get(id)?.code !== 0);
    if (silent.length > 0) throw new Error(`no answer from ${silent.join(', ')}`);
    let count = 0;
    for (const { data } of answers.values()) count += Number(new TextDecoder().decode(data)) || 0;
    return count;
  }
}
