import { anyJson, type Infer, list, message, nullable, text } from '@msg/foundation/shape';
import { channelSummary } from './messages.ts';

// One channel with its options (console, section 9). Member names are the wire's.

const channelOption = message({
  /** As in the configuration file: `history_size`. */
  name: text,
  /** What is in effect; durations are Go duration strings. */
  value: anyJson,
  /** The pattern of the rule that decided it; empty: the default. */
  pattern: text,
});
/** An option of a channel, and why it is so. */
export type ChannelOption = Infer<typeof channelOption>;

export const getChannelResponse = message({
  channel: nullable(channelSummary),
  options: list(channelOption),
});
