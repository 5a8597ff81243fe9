import { formatTimestamp } from '@msg/core/internal';
import type { LiveConnection, LiveSubscription } from '@msg/engine';
import { connectionToken, subscriptionToken } from '../realtime/credentials.ts';

/** A connection as operators see it. */
export interface ConnectionRow {
  readonly client: string;
  readonly user: string;
  readonly node: string;
  readonly transport: string;
  readonly encoding: string;
  readonly address: string;
  /** What the client program calls itself: untrusted input. */
  readonly client_name: string;
  readonly client_version: string;
  readonly connected_at: string;
  readonly subscriptions: number;
  readonly queue_bytes: number;
  /** End of its token; 0: it has none. */
  readonly expires_unix: number;
  /** The key that signed its token; empty: it has none. */
  readonly rests_on: string;
  /** What passes is being recorded. */
  readonly recording: boolean;
}

export function connectionRow(connection: LiveConnection, node: string): ConnectionRow {
  const { client } = connection;
  const token = connectionToken(client);
  return {
    client: client.id,
    user: client.user,
    node,
    transport: client.transport.name,
    encoding: client.transport.encoding,
    address: client.transport.remoteAddress,
    client_name: connection.name,
    client_version: connection.version,
    connected_at: formatTimestamp(connection.connectedAt),
    subscriptions: connection.subscriptionCount,
    queue_bytes: connection.queueBytes,
    expires_unix: token?.claims.exp ?? 0,
    rests_on: token?.kid ?? '',
    recording: connection.recording,
  };
}

/** A subscription of a connection. */
export interface SubscriptionRow {
  readonly channel: string;
  readonly since: string;
  readonly offset: number;
  readonly recoverable: boolean;
  readonly delta: boolean;
  /** The token that it depends on; empty and 0 for a public channel. */
  readonly rests_on: { readonly kid: string; readonly jti: string; readonly expires_unix: number };
}

export function subscriptionRow(subscription: LiveSubscription): SubscriptionRow {
  const token = subscriptionToken(subscription.client, subscription.channel);
  return {
    channel: subscription.channel,
    since: formatTimestamp(subscription.since),
    offset: subscription.offset,
    recoverable: subscription.positioned,
    delta: subscription.delta,
    rests_on: {
      kid: token?.kid ?? '',
      jti: token?.claims.jti ?? '',
      expires_unix: token?.claims.exp ?? 0,
    },
  };
}

/** A subscriber of a channel. */
export interface PresenceRow {
  readonly client: string;
  readonly user: string;
  readonly node: string;
  /** JSON texts. */
  readonly conn_info: string;
  readonly chan_info: string;
  readonly since: string;
}

function infoText(info: Uint8Array | null): string {
  return info === null ? '' : new TextDecoder().decode(info);
}

export function presenceRow(subscription: LiveSubscription, node: string): PresenceRow {
  const { client } = subscription;
  return {
    client: client.id,
    user: client.user,
    node,
    conn_info: infoText(subscription.connInfo),
    chan_info: infoText(subscription.chanInfo),
    since: formatTimestamp(subscription.since),
  };
}
