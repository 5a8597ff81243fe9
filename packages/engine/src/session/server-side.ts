import type { StreamPosition } from '../broker/contract.ts';
import { Disconnect, disconnect, errorReply, ReplyError } from '../errors.ts';
import type { SubscribeDecision } from '../policy.ts';
import { tagged } from '../stream/tagged.ts';
import type { Session } from './session.ts';
import {
  completeSubscribe,
  offsetBefore,
  prepareSubscribe,
  SubscribeCancelled,
  settleSubscribe,
} from './subscribe.ts';
import type { SubscribeRequestOptions } from './subscribe-request.ts';

/** The request of a server-side subscription: nothing beyond the decision. */
export const SERVER_SUBSCRIBE_REQUEST: SubscribeRequestOptions = {
  recover: false,
  offset: 0,
  epoch: '',
  delta: '',
  flag: 0,
  tf: null,
};

/**
 * Adds a server-side subscription to a connected session (client protocol 8). With `since`, the publications after that
 * position follow the subscribe push. Throws {@link ReplyError} 105 when the channel is already subscribed; any later
 * failure ends the connection.
 */
export async function subscribeFromServer(
  session: Session,
  channel: string,
  decision: SubscribeDecision,
  since: StreamPosition | null,
): Promise<void> {
  const { subscriptions, context } = session;
  if (subscriptions.get(channel) !== undefined) {
    throw errorReply.alreadySubscribed();
  }
  if (subscriptions.size >= context.limits.channelsPerClient) {
    session.close(disconnect.channelLimit());
    return;
  }
  const subscription = subscriptions.reserve(channel, true);
  const requested =
    since === null ? SERVER_SUBSCRIBE_REQUEST : { ...SERVER_SUBSCRIBE_REQUEST, ...since, recover: true };
  try {
    const pending = await prepareSubscribe(subscription, decision, requested);
    const { recoverable, positioned, epoch, data } = settleSubscribe(pending);
    const offset = pending.recovered === null ? offsetBefore(pending) : (pending.top?.offset ?? 0);
    session.messages.push({ channel, subscribe: { recoverable, positioned, epoch, offset, data } });
    const { encoding } = session.framing.codec;
    for (const pub of pending.recovered?.publications ?? [])
      session.messages.push({ channel, pub: { ...tagged(encoding, pub), delta: false } });
    completeSubscribe(pending);
  } catch (error) {
    subscriptions.release(subscription);
    if (error instanceof SubscribeCancelled) return;
    session.close(error instanceof Disconnect ? error : disconnect.internalServerError());
  }
}
