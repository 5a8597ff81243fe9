import type { CreatedCredentials } from '@msg/core';
import type { CreatePrivateRequest, PrivateChannels } from '../../auth/tokens/private-channels.ts';
import type { LifecycleSubscription } from '../../channels/lifecycle-feed.ts';
import type { ChannelManager } from '../../channels/manager.ts';
import type { ChannelRecord } from '../../channels/record.ts';
import type { ChannelStreams } from '../../publishing/channel-streams.ts';

/** The parts of {@link ChannelGroup}. */
export interface ChannelGroupParts {
  readonly channels: ChannelManager;
  readonly privateChannels: PrivateChannels;
  readonly streams: ChannelStreams;
}

/** The channels of a service: `msg.channels`. */
export class ChannelGroup {
  readonly #parts: ChannelGroupParts;

  constructor(parts: ChannelGroupParts) {
    this.#parts = parts;
  }

  /**
   * Opens, reopens or refreshes a public channel; `ttlMs` 0 or absent means 30 min.
   * @throws MsgError MSG_CHANNEL_INVALID, MSG_INVALID_ARGUMENT, MSG_CHANNEL_NOT_FOUND for a deleted name
   */
  openPublic(name: string, ttlMs?: number): Promise<ChannelRecord> {
    return this.#parts.channels.openPublic(name, ttlMs);
  }

  /**
   * Creates a private channel, or with `ifExists: 'reuse'` renews an open one, and issues its tokens, which are not
   * stored.
   * @throws MsgError MSG_CHANNEL_INVALID, MSG_INVALID_ARGUMENT, MSG_CHANNEL_TTL_EXCEEDS_MAX, MSG_CHANNEL_EXISTS
   */
  createPrivate(request: CreatePrivateRequest): Promise<CreatedCredentials> {
    return this.#parts.privateChannels.create(request);
  }

  /** @throws MsgError MSG_CHANNEL_INVALID, MSG_CHANNEL_NOT_FOUND */
  get(name: string): Promise<ChannelRecord> {
    return this.#parts.channels.get(name);
  }

  /** Open and closed channels, sorted by name. */
  list(): Promise<readonly ChannelRecord[]> {
    return this.#parts.channels.list();
  }

  /** Deletes for good. @throws MsgError MSG_CHANNEL_INVALID, MSG_CHANNEL_NOT_FOUND */
  delete(name: string): Promise<void> {
    return this.#parts.channels.delete(name);
  }

  /**
   * Drops the retained publications of a channel; offset and epoch stay.
   * @throws MsgError MSG_CHANNEL_INVALID, MSG_CHANNEL_NOT_FOUND, MSG_BROKER_NOT_READY, MSG_BROKER_INTERNAL
   */
  removeHistory(name: string): Promise<void> {
    return this.#parts.streams.removeHistory(name);
  }

  /** Counts as activity of an open channel. @throws MsgError MSG_CHANNEL_NOT_FOUND, MSG_CHANNEL_CLOSED */
  async touch(name: string): Promise<void> {
    await this.#parts.channels.touch(name);
  }

  /**
   * Closes a public channel before its time; its subscribers stay, and opening it again is possible. A closed one stays
   * closed. @throws MsgError MSG_CHANNEL_INVALID for a private name, MSG_CHANNEL_NOT_FOUND
   */
  closePublic(name: string): Promise<ChannelRecord> {
    return this.#parts.channels.closePublic(name);
  }

  /** Lifecycle events, with a buffer for `buffer` events; a full buffer drops further ones. */
  events(buffer: number): LifecycleSubscription {
    return this.#parts.channels.events(buffer);
  }
}
