/** How the writers of a channel are kept in order. */
export type ChannelKind = 'counted' | 'ordered' | 'plain';

const KINDS: readonly ChannelKind[] = ['counted', 'ordered', 'plain'];
const OF_EACH = 4;

/**
 * The channels, in the order in which a transaction takes their locks. `counted`: each transaction raises a number of the
 * channel before it publishes; `ordered`: it publishes with `ordered`; `plain`: whatever order comes about.
 */
export const CHANNELS: readonly string[] = KINDS.flatMap(kind =>
  Array.from({ length: OF_EACH }, (_, index) => `public:shop.${kind}.c${index}`),
);

export function kindOf(channel: string): ChannelKind {
  return KINDS.find(kind => channel.includes(`.${kind}.`)) ?? 'plain';
}
