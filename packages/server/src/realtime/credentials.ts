import type { Client, Expiry } from '@msg/engine';
import type { VerifiedToken } from '../auth/tokens/claims.ts';

/** What a connection carries: the token it connected or refreshed with, `null` when anonymous. */
export class ConnectionCredentials {
  readonly token: VerifiedToken | null;

  constructor(token: VerifiedToken | null) {
    this.token = token;
  }
}

/** What a subscription carries. */
export class SubscriptionCredentials {
  /**
   * The token the subscription rests on: its own, `'connection'` for whatever the connection carries at the moment,
   * or `null` for a public channel.
   */
  readonly boundTo: VerifiedToken | 'connection' | null;

  constructor(boundTo: VerifiedToken | 'connection' | null) {
    this.boundTo = boundTo;
  }
}

/** A right that ends with its token, unless the client brings a new one. */
export function expiryOf(token: VerifiedToken): Expiry {
  return { at: token.expiresAt, clientRefresh: true };
}

/** The token of a connection. */
export function connectionToken(client: Client): VerifiedToken | null {
  return client.state instanceof ConnectionCredentials ? client.state.token : null;
}

/** The token that a live subscription depends on at this moment; `null` for public channels and without a token. */
export function subscriptionToken(client: Client, channel: string): VerifiedToken | null {
  const state = client.subscriptionState(channel);
  if (!(state instanceof SubscriptionCredentials) || state.boundTo === null) return null;
  return state.boundTo === 'connection' ? connectionToken(client) : state.boundTo;
}

/** True when the subscription rests on the connection's token. */
export function isBoundToConnection(client: Client, channel: string): boolean {
  const state = client.subscriptionState(channel);
  return state instanceof SubscriptionCredentials && state.boundTo === 'connection';
}
