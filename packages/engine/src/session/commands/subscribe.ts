import type { SubscribeRequest, UnsubscribeRequest } from '@msg/protocol';
import { disconnect, errorReply, ReplyError } from '../../errors.ts';
import type { SubscribeDecision } from '../../policy.ts';
import type { Session } from '../session.ts';
import {
  completeSubscribe,
  prepareSubscribe,
  recoveredLists,
  SubscribeCancelled,
  settleSubscribe,
} from '../subscribe.ts';
import type { Subscription } from '../subscription.ts';
import { channelNameTooLong } from './channel-name.ts';
import type { PolicyWith } from './command-row.ts';

/** Client protocol 7.3: validation order, authorization, then the algorithm of 11.4. */
export async function subscribe(
  session: Session,
  id: number,
  request: SubscribeRequest,
  policy: PolicyWith<'subscribe'>,
): Promise<void> {
  const subscription = reserve(session, request);
  try {
    const decision = await authorize(session, request, policy);
    const pending = await prepareSubscribe(subscription, decision, request);
    // Synchronous from here on: reply, buffered publications and live delivery stay in order.
    const denial = policy.subscribed?.(session.client, request.channel);
    if (denial !== undefined) throw new ReplyError(denial.code, denial.message, denial.temporary);
    session.messages.reply({ id, subscribe: settleSubscribe(pending) }, recoveredLists([pending]));
    completeSubscribe(pending);
    session.subscriptions.stopWaiting(request.channel);
  } catch (error) {
    await session.subscriptions.release(subscription);
    if (error instanceof SubscribeCancelled) return;
    session.subscriptions.refused(request.channel, error);
    throw error;
  }
  session.rearm();
  const late = subscription.unsubscribeWhenLive;
  if (late !== null && subscription.live) session.subscriptions.end(subscription, late);
}

/** Client protocol 7.5: succeeds even when not subscribed. */
export function unsubscribe(
  session: Session,
  id: number,
  { channel }: UnsubscribeRequest,
): Promise<void> | undefined {
  const departure = session.subscriptions.leave(channel);
  if (departure !== null) return departure.then(() => session.messages.reply({ id, unsubscribe: {} }));
  session.messages.reply({ id, unsubscribe: {} });
  return undefined;
}

/** Checks the request and reserves the channel, so that a second subscribe gets error 105. */
function reserve(session: Session, request: SubscribeRequest): Subscription {
  const { channel } = request;
  const { limits } = session.context;
  if (request.type !== 0) throw errorReply.notAvailable();
  if (request.delta !== '' && request.delta !== 'fossil') throw disconnect.badRequest();
  if (channelNameTooLong(channel, limits.channelNameBytes)) {
    throw errorReply.badRequest(`channel name longer than ${limits.channelNameBytes} bytes`);
  }
  const { subscriptions } = session;
  if (subscriptions.get(channel) !== undefined) {
    throw errorReply.alreadySubscribed();
  }
  if (!subscriptions.hasRoomFor(channel)) {
    throw errorReply.limitExceeded(`more than ${limits.channelsPerClient} channels`);
  }
  return subscriptions.reserve(channel, false);
}

async function authorize(
  session: Session,
  request: SubscribeRequest,
  policy: PolicyWith<'subscribe'>,
): Promise<SubscribeDecision> {
  const { channel, token, data, positioned, recoverable, joinLeave } = request;
  const event = { channel, token, data, positioned, recoverable, joinLeave };
  const decision = await policy.subscribe(session.client, event);
  if (decision.expiry !== undefined && decision.expiry.at <= session.context.clock.now()) {
    throw errorReply.expired();
  }
  return decision;
}
