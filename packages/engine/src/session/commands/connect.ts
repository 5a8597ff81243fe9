import { defined } from '@msg/foundation/json';
import type { ConnectRequest, Init, SubscribeResult } from '@msg/protocol';
import { disconnect, errorReply } from '../../errors.ts';
import type { ConnectDecision, SubscribeDecision } from '../../policy.ts';
import { resolvesChannelIds } from '../compaction.ts';
import { announcedExpiry } from '../expiry.ts';
import { Lifetime } from '../lifetime.ts';
import { SERVER_SUBSCRIBE_REQUEST } from '../server-side.ts';
import type { Session } from '../session.ts';
import {
  completeSubscribe,
  type PendingSubscribe,
  prepareSubscribe,
  recoveredLists,
  settleSubscribe,
} from '../subscribe.ts';

/** Client protocol 6.3, 7.1. */
export async function connect(session: Session, id: number, request: ConnectRequest): Promise<void> {
  const { context, connection } = session;
  const { encoding } = session.framing.codec;
  const program = context.clientNames.of(request.name, request.version);
  if (!connection.begin(resolvesChannelIds(encoding, request.name), program)) throw disconnect.badRequest();
  const { token, data, name, version, headers } = request;
  const decision = await context.policy.connect({
    client: session.client,
    token,
    data,
    name,
    version,
    headers,
  });
  if (session.closed) return;
  const granted = decision.subscriptions ?? new Map<string, SubscribeDecision>();
  if (granted.size > context.limits.channelsPerClient) throw disconnect.channelLimit();
  connection.authenticated(decision.user);
  const isRegistered = context.sessions.register(session);
  if (isRegistered !== true && !(await isRegistered)) throw disconnect.connectionLimit();
  if (session.closed) return;
  if (decision.expiry !== undefined && decision.expiry.at <= context.clock.now()) {
    throw errorReply.expired();
  }
  connection.accepted(decision, Lifetime.of(decision.expiry, context));
  const pending = await prepareGranted(session, granted, request);
  if (!session.closed) admit(session, id, decision, pending);
}

/** Server-side subscriptions, concurrently; any failure fails the entire connect. */
async function prepareGranted(
  session: Session,
  granted: ReadonlyMap<string, SubscribeDecision>,
  request: ConnectRequest,
): Promise<PendingSubscribe[]> {
  const underWay = [...granted].map(([channel, decision]) => {
    const subscription = session.subscriptions.reserve(channel, true);
    const remembered = request.subs.get(channel);
    const requested =
      remembered === undefined
        ? SERVER_SUBSCRIBE_REQUEST
        : {
            ...SERVER_SUBSCRIBE_REQUEST,
            recover: remembered.recover,
            offset: remembered.offset,
            epoch: remembered.epoch,
            delta: remembered.delta,
          };
    return prepareSubscribe(subscription, decision, requested);
  });
  try {
    return await Promise.all(underWay);
  } catch (error) {
    session.subscriptions.releaseAll();
    throw error;
  }
}

/** Synchronous: results, reply, live delivery and joins stay in order. */
function admit(
  session: Session,
  id: number,
  { data, expiry }: ConnectDecision,
  pending: readonly PendingSubscribe[],
): void {
  const { version, limits, clock, nodeId } = session.context;
  const subs = new Map<string, Init<SubscribeResult>>();
  for (const subscribe of pending) subs.set(subscribe.subscription.channel, settleSubscribe(subscribe));
  const { emulationSecret } = session;
  const pings = session.messages.pingsByMessage;
  const connect = {
    client: session.connection.id,
    version,
    subs,
    ...announcedExpiry(expiry, clock.now()),
    ...defined({
      data,
      ping: pings ? Math.max(1, Math.round(limits.pingMs / 1000)) : undefined,
      pong: pings || undefined,
      session: emulationSecret,
      node: emulationSecret === undefined ? undefined : nodeId,
    }),
  };
  session.messages.reply({ id, connect }, recoveredLists(pending));
  for (const subscribe of pending) completeSubscribe(subscribe);
  session.connected();
}
