import type { ChannelOptions, ChannelRule } from './channel-options.ts';
import type { DeclaredChannel } from './declared.ts';

/** A declared channel with options for the channels that it covers. */
export interface OpenChannel extends DeclaredChannel, Partial<ChannelOptions> {}

/** Declared channels and channel options. Source: messaging details 24.2. */
export interface ChannelsOptions {
  /** Options by channel pattern. */
  readonly rules?: readonly ChannelRule[];
  /** Public channels that the service opens by itself, by name at the start or by pattern on first use. */
  readonly open?: readonly OpenChannel[];
  /**
   * Live subscribers count as activity, so that a channel with subscribers does not close. On several nodes the TTL must
   * be longer than two sweep intervals. Default false.
   */
  readonly keepOpenWhileSubscribed?: boolean;
}
