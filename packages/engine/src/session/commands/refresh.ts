import type { RefreshRequest, SubRefreshRequest } from '@msg/protocol';
import { disconnect, errorReply } from '../../errors.ts';
import type { Expiry } from '../../policy.ts';
import { announcedExpiry } from '../expiry.ts';
import type { Session } from '../session.ts';
import type { PolicyWith } from './command-row.ts';

/** Client protocol 7.2. */
export async function refresh(
  session: Session,
  id: number,
  { token }: RefreshRequest,
  policy: PolicyWith<'refresh'>,
): Promise<void> {
  const { clock, version } = session.context;
  if (token === '' || session.connection.lifetime?.clientRefresh === false) throw disconnect.badRequest();
  const decision = await policy.refresh(session.client, { token });
  if (session.closed) return;
  assertInFuture(decision.expiry, clock.now());
  session.refreshed(decision);
  const expiry = announcedExpiry(decision.expiry, clock.now());
  session.messages.reply({ id, refresh: { client: session.connection.id, version, ...expiry } });
}

/** Client protocol 7.4. */
export async function subRefresh(
  session: Session,
  id: number,
  { channel, token }: SubRefreshRequest,
): Promise<void> {
  const { policy, clock } = session.context;
  const subscription = session.subscriptions.get(channel);
  if (subscription?.live !== true) throw errorReply.permissionDenied('not subscribed');
  if (policy.subRefresh === undefined) throw errorReply.notAvailable();
  if (subscription.lifetime?.clientRefresh === false) throw disconnect.badRequest();
  if (token === '') throw errorReply.badRequest('token missing');
  const decision = await policy.subRefresh(session.client, { channel, token });
  if (session.closed) return;
  assertInFuture(decision.expiry, clock.now());
  // The subscription may have ended during the policy's decision; its unsubscribe push has told the client.
  if (subscription.live) subscription.refreshed(decision);
  session.rearm();
  session.messages.reply({ id, subRefresh: { ...announcedExpiry(decision.expiry, clock.now()) } });
}

function assertInFuture(expiry: Expiry | undefined, now: number): void {
  if (expiry !== undefined && expiry.at <= now) throw errorReply.expired();
}
