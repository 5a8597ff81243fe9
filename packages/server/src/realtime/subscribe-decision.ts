import type { SubscribeDecision, SubscribeEvent } from '@msg/engine';
import { defined } from '@msg/foundation/json';
import type { VerifiedToken } from '../auth/tokens/claims.ts';
import type { ChannelOptions } from '../channels/channel-options.ts';
import { expiryOf, SubscriptionCredentials } from './credentials.ts';

/**
 * What a subscription that is allowed may do, as its channel offers. `token`: what allowed it, null for a public channel;
 * `isOwn`: it came with the subscribe, and the subscription ends with it; else with the connection's.
 */
export function subscribeDecision(
  event: SubscribeEvent,
  options: ChannelOptions,
  token: VerifiedToken | null,
  isOwn: boolean,
): SubscribeDecision {
  const boundTo = token === null ? null : isOwn ? token : 'connection';
  return {
    positioned: options.recovery !== 'off',
    recovery: options.recovery,
    autoCacheRecovery: true,
    emitPresence: options.presence,
    emitJoinLeave: options.joinLeave,
    pushJoinLeave: options.joinLeave && event.joinLeave,
    delta: options.delta,
    tagsFilter: options.tagsFilter,
    compaction: options.compaction,
    ...defined({ expiry: isOwn && token !== null ? expiryOf(token) : undefined }),
    state: new SubscriptionCredentials(boundTo),
  };
}
