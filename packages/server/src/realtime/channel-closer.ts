import { MsgError } from '@msg/core';
import { type RealtimeNode, unsubscribe } from '@msg/engine';
import type { ChannelRecord } from '../channels/record.ts';
import type { ChannelRegistry } from '../channels/registry/contract.ts';
import { storeFailure } from '../stores/redis/store-failure.ts';

/**
 * Ends the subscriptions of a deleted channel for good, then its stream, so that a new channel of the same name starts a
 * new epoch.
 * @throws MsgError MSG_BROKER_INTERNAL when the store fails: the channel is deleted, and the reconciliation ends the rest
 */
export async function closeChannel(node: RealtimeNode, channel: string): Promise<void> {
  try {
    await node.unsubscribeAll(channel, unsubscribe.serverUnsubscribe);
    await node.removeStream(channel);
  } catch (cause) {
    const failure = storeFailure(cause);
    if (failure === undefined) throw cause;
    const text = `channel ${channel} is deleted, and its subscriptions end later: ${failure.message}`;
    throw new MsgError('MSG_BROKER_INTERNAL', text, { cause });
  }
}

/**
 * As {@link closeChannel}, for this node, after another node reported the deletion. That node closes the channel on all
 * nodes, unless it crashed before.
 */
export async function closeChannelLocally(
  node: RealtimeNode,
  registry: Pick<ChannelRegistry, 'get'>,
  channel: string,
): Promise<void> {
  // The channel may have been created again meanwhile.
  if (!isGone(channel, await registry.get(channel))) return;
  await node.unsubscribeHere(channel, unsubscribe.serverUnsubscribe);
  await node.removeStream(channel);
}

/**
 * Whether a channel is deleted. A public channel leaves a tombstone: without a record the store has lost its data, and
 * the owner of the channel opens it again.
 */
export function isGone(name: string, record: ChannelRecord | undefined): boolean {
  return record === undefined ? name.startsWith('private:') : record.state === 'deleted';
}
