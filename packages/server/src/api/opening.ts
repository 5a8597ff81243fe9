import { MsgError } from '@msg/core';
import type { ChannelManager } from '../channels/manager.ts';
import type { RequestRights } from './rights.ts';

type OpeningManager = Pick<
  ChannelManager,
  'stateOf' | 'openForUse' | 'opensOnUse' | 'openPublic' | 'createPrivate'
>;

/** Opens the channels that commands use, if `api.open_channels` is `auto`. */
export class ChannelOpener {
  /** Commands open what is not open. */
  readonly isAutomatic: boolean;
  readonly #channels: OpeningManager;

  constructor(channels: OpeningManager, openChannels: 'never' | 'auto') {
    this.#channels = channels;
    this.isAutomatic = openChannels === 'auto';
  }

  /**
   * Opens the channel if it is not open: a declared channel on use, any other only with `auto` and for a caller that may
   * manage it. A private channel opens without tokens.
   * @throws MsgError MSG_CHANNEL_NOT_FOUND, MSG_CHANNEL_CLOSED for a channel that stays closed, MSG_AUTH_DENIED
   */
  async open(channel: string, rights: RequestRights): Promise<void> {
    const channels = this.#channels;
    const state = await channels.stateOf(channel);
    if (state === 'open') return;
    if (!this.isAutomatic || state === 'deleted' || channels.opensOnUse(channel, state)) {
      await channels.openForUse(channel);
      return;
    }
    await rights.require('manage', channel);
    if (channel.startsWith('public:')) await channels.openPublic(channel);
    else await this.#createPrivate(channel);
  }

  async #createPrivate(channel: string): Promise<void> {
    try {
      await this.#channels.createPrivate(channel, 0, () => undefined);
    } catch (error) {
      // Another command opened it first.
      if (!(error instanceof MsgError && error.code === 'MSG_CHANNEL_EXISTS')) throw error;
    }
  }

  /**
   * A channel that was never opened reads as empty if a command would open it.
   * @throws MsgError MSG_CHANNEL_NOT_FOUND for any other unknown name
   */
  async requireReadable(channel: string): Promise<void> {
    const state = await this.#channels.stateOf(channel);
    if (state === 'open' || state === 'closed') return;
    const opens = state === undefined && (this.isAutomatic || this.#channels.opensOnUse(channel, state));
    if (!opens) throw new MsgError('MSG_CHANNEL_NOT_FOUND', `channel ${channel} is not known`);
  }
}
