import { MsgError } from '@msg/core';
import type { RealtimeNode, StreamPosition } from '@msg/engine';
import type { ChannelOptionRules } from '../channels/channel-options.ts';
import type { ChannelManager } from '../channels/manager.ts';
import { brokerFailed } from './broker-failure.ts';

export interface ChannelStreamsParts {
  readonly channels: Pick<ChannelManager, 'requireKnown'>;
  readonly rules: ChannelOptionRules;
  /** The engine's node. */
  readonly node: Pick<RealtimeNode, 'operational' | 'history' | 'removeHistory'>;
}

/** Position and history of channels, for operators and the embedding application. */
export class ChannelStreams {
  readonly #parts: ChannelStreamsParts;

  constructor(parts: ChannelStreamsParts) {
    this.#parts = parts;
  }

  /**
   * The position of the newest publication of a channel: offset 0 and an epoch before the first, offset 0 and no epoch
   * where history is off. Read it before a snapshot, and subscribe `since` it. A declared channel need not be open.
   * Source: app-developers 3, 12.7.
   * @throws MsgError MSG_CHANNEL_INVALID, MSG_CHANNEL_NOT_FOUND, MSG_BROKER_NOT_READY, MSG_BROKER_INTERNAL
   */
  async position(name: string): Promise<StreamPosition> {
    const { rules, node } = this.#parts;
    await this.#require(name);
    if (rules.of(name).stream.size === 0) return { offset: 0, epoch: '' };
    const failed = brokerFailed('the broker did not tell the position');
    const { offset, epoch } = await node.history(name, { limit: 0 }).catch(failed);
    return { offset, epoch };
  }

  /**
   * Drops the retained publications of a channel; offset and epoch stay.
   * @throws MsgError as {@link ChannelStreams.position}
   */
  async removeHistory(name: string): Promise<void> {
    await this.#require(name);
    await this.#parts.node.removeHistory(name).catch(brokerFailed('the broker did not remove the history'));
  }

  async #require(name: string): Promise<void> {
    const { channels, node } = this.#parts;
    await channels.requireKnown(name);
    if (!node.operational) throw new MsgError('MSG_BROKER_NOT_READY', 'the broker is not running');
  }
}
