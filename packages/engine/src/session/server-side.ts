import { ErrorCode } from '@msg/protocol';
import type { StreamPosition } from '../broker/contract.ts';
import { Disconnect, ReplyError } from '../errors.ts';
import type { SubscribeDecision } from '../policy.ts';
import type { Session } from './session.ts';
import {
  completeSubscribe,
  prepareSubscribe,
  SubscribeAbandoned,
  type SubscribeWishes,
  settleSubscribe,
} from './subscribe.ts';

/** What a subscription that the server grants by itself wishes for: nothing beyond its decision. */
export const SERVER_WISHES: SubscribeWishes = {
  recover: false,
  offset: 0,
  epoch: '',
  delta: '',
  flag: 0,
  tf: null,
};

/**
 * Adds a server-side subscription to a connected session (client protocol 8). With `since`, what was published
 * after that position follows the subscribe push as ordinary publications. Throws {@link ReplyError} 105 when
 * the channel is taken; any later failure ends the connection.
 */
export async function subscribeFromServer(
  session: Session,
  channel: string,
  decision: SubscribeDecision,
  since: StreamPosition | null,
): Promise<void> {
  const { subscriptions, limits } = session;
  if (subscriptions.get(channel) !== undefined) {
    throw new ReplyError(ErrorCode.AlreadySubscribed, 'already subscribed');
  }
  if (subscriptions.size >= limits.channelsPerClient) {
    session.close(new Disconnect(3505, 'channel limit'));
    return;
  }
  const subscription = subscriptions.reserve(channel, true);
  const wishes = since === null ? SERVER_WISHES : { ...SERVER_WISHES, ...since, recover: true };
  try {
    const prepared = await prepareSubscribe(subscription, decision, wishes);
    const { recoverable, positioned, epoch, data } = settleSubscribe(prepared);
    const offset = prepared.top?.offset ?? 0;
    session.pushMessage({ channel, subscribe: { recoverable, positioned, epoch, offset, data } });
    for (const pub of prepared.recovered ?? [])
      session.pushMessage({ channel, pub: { ...pub, delta: false } });
    completeSubscribe(prepared);
  } catch (error) {
    subscriptions.release(subscription);
    if (error instanceof SubscribeAbandoned) return;
    session.close(error instanceof Disconnect ? error : new Disconnect(3004, 'internal server error'));
  }
}
