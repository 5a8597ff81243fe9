import type { SubscribeDecision, SubscribeEvent } from '@msg/engine';
import { defined } from '@msg/foundation/json';
import type { VerifiedToken } from '../auth/tokens/claims.ts';
import type { ChannelOptions } from '../channels/channel-options.ts';
import { expiryOf, SubscriptionCredentials } from './credentials.ts';

/**
 * The decision for an allowed subscription, with the features of its channel. `token`: the token that allowed it, null
 * for a public channel; `isOwn`: the subscribe had this token, and the subscription ends with it; else with the
 * connection's token.
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
