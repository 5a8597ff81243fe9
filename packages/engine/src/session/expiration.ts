import { Disconnect, disconnect, ReplyError, unsubscribe } from '../errors.ts';
import type { Policy, RefreshDecision, SubRefreshDecision } from '../policy.ts';
import type { Subscription } from './subscription.ts';
import type { SubscribingConnection, SubscriptionSet } from './subscription-set.ts';

/** A connection whose credentials, and those of its subscriptions, may expire. */
export interface ExpiringConnection extends SubscribingConnection {
  readonly subscriptions: SubscriptionSet;
  close(disconnect: Disconnect): void;
  /** Takes new credentials for the connection. */
  refreshed(decision: RefreshDecision): void;
  /** Sets the connection's timer again. */
  rearm(): void;
}

/** The earliest moment at which credentials may expire; infinite when none expire. */
export function nextExpiry({ connection, subscriptions }: ExpiringConnection): number {
  let earliest = connection.expiresAt;
  for (const { live, lifetime } of subscriptions) {
    if (live && lifetime !== null && lifetime.dueAt < earliest) earliest = lifetime.dueAt;
  }
  return earliest;
}

/** Ends or renews all expired credentials. */
export function expireCredentials(session: ExpiringConnection, now: number): void {
  const { connection, subscriptions } = session;
  const { clock, inBackground } = session.context;
  if (connection.expiresAt <= now && connection.lifetime?.isOver(clock) === true) {
    if (connection.lifetime.clientRefresh) {
      session.close(disconnect.connectionExpired());
      return;
    }
    inBackground(renewConnection(session));
  }
  for (const subscription of [...subscriptions]) {
    const { live, lifetime } = subscription;
    if (!live || lifetime === null || lifetime.dueAt > now || !lifetime.isOver(clock)) continue;
    inBackground(expireSubscription(session, subscription));
    if (session.closed) return;
  }
}

/** Server-managed expiry: the policy prolongs the connection or ends it (client protocol 6.4). */
async function renewConnection(session: ExpiringConnection): Promise<void> {
  const { policy, clock, reportError } = session.context;
  session.connection.renewalBegan();
  try {
    const decision = await policy.refresh?.(session.client, { token: '' });
    const stillExpired = decision?.expiry !== undefined && decision.expiry.at <= clock.now();
    if (decision === undefined || stillExpired) session.close(disconnect.connectionExpired());
    else session.refreshed(decision);
  } catch (error) {
    if (!(error instanceof Disconnect)) reportError(error);
    session.close(error instanceof Disconnect ? error : disconnect.connectionExpired());
  } finally {
    session.connection.renewalEnded();
    session.rearm();
  }
}

/**
 * Ends a subscription whose credential and grace time ended, unless the server manages the expiry and the policy prolongs
 * it (client protocol 7.4).
 */
async function expireSubscription(session: ExpiringConnection, subscription: Subscription): Promise<void> {
  const { policy, clock } = session.context;
  if (subscription.lifetime?.clientRefresh === false && policy.subRefresh !== undefined) {
    subscription.renewalBegan();
    const decision = await askPolicy(session, subscription, policy.subRefresh.bind(policy));
    if (!subscription.live) return;
    if (decision !== null && (decision.expiry === undefined || decision.expiry.at > clock.now())) {
      subscription.refreshed(decision);
      session.rearm();
      return;
    }
  }
  if (subscription.serverSide) session.close(disconnect.subscriptionExpired());
  else session.subscriptions.end(subscription, unsubscribe.subscriptionExpired);
}

async function askPolicy(
  session: ExpiringConnection,
  { channel }: Subscription,
  subRefresh: NonNullable<Policy['subRefresh']>,
): Promise<SubRefreshDecision | null> {
  try {
    return await subRefresh(session.client, { channel, token: '' });
  } catch (error) {
    if (!(error instanceof ReplyError)) session.context.reportError(error);
    return null;
  }
}
