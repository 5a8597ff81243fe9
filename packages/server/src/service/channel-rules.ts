import { defined } from '@msg/foundation/json';
import type { ChannelRule } from '../channels/channel-options.ts';
import type { MsgOptions } from './options.ts';

/** The four history options as rules of the lowest precedence, then the explicit rules. */
export function channelRules(options: MsgOptions): readonly ChannelRule[] {
  const history = (pattern: string, size: number | undefined, ttl: number | undefined): ChannelRule[] => {
    if (size === undefined && ttl === undefined) return [];
    return [
      {
        pattern,
        ...defined({ historySize: size, historyTtlMs: ttl }),
      },
    ];
  };
  return [
    ...history('public:**', options.publicHistorySize, options.publicHistoryTtlMs),
    ...history('private:**', options.privateHistorySize, options.privateHistoryTtlMs),
    ...(options.channels?.open ?? []).map(({ name, pattern, ttlMs: _ttl, ...rule }) => ({
      ...rule,
      pattern: name ?? pattern ?? '',
    })),
    ...(options.channels?.rules ?? []),
    ...(options.channelOptions ?? []),
  ];
}
