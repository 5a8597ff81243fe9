import type { RealtimeNode } from '@msg/engine';

/** Terminal for the client: the subscription is not coming back. */
const SERVER_UNSUBSCRIBE = { code: 2000, reason: 'server unsubscribe' };

/**
 * Ends what hangs on a channel that is gone: its subscriptions, then its stream, so that a channel created again
 * under the same name starts a new epoch.
 */
export async function endChannel(node: RealtimeNode, channel: string): Promise<void> {
  await node.unsubscribeAll(channel, SERVER_UNSUBSCRIBE);
  await node.removeStream(channel);
}
