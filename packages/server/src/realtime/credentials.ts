import type { Client, ConnectDecision, Expiry } from '@msg/engine';
import { isRecord } from '@msg/foundation/json';
import type { VerifiedToken } from '../auth/tokens/claims.ts';

/** The credentials of a connection: the token of its connect or last refresh, `null` when anonymous. */
export class ConnectionCredentials {
  readonly token: VerifiedToken | null;

  constructor(token: VerifiedToken | null) {
    this.token = token;
  }
}

/** The credentials of a subscription. */
export class SubscriptionCredentials {
  /**
   * The token that the subscription depends on: its own, `'connection'` for the connection's current token, or `null` for
   * a public channel.
   */
  readonly boundTo: VerifiedToken | 'connection' | null;

  constructor(boundTo: VerifiedToken | 'connection' | null) {
    this.boundTo = boundTo;
  }
}

/**
 * The credentials of a subscription that a backend gave to a user's connections. Plain data, because nodes exchange it.
 * Its authority is the backend's key; revoking the user ends it.
 */
export interface ServerGrant {
  /** Unix milliseconds. */
  readonly serverGrantedAtMs: number;
}

export function serverGrant(nowMs: number): ServerGrant {
  return { serverGrantedAtMs: nowMs };
}

/** The grant of a live subscription that a backend gave; undefined for any other. */
export function serverGrantOf(client: Client, channel: string): ServerGrant | undefined {
  const state = client.subscriptionState(channel);
  if (!isRecord(state) || typeof state['serverGrantedAtMs'] !== 'number') return undefined;
  return { serverGrantedAtMs: state['serverGrantedAtMs'] };
}

/** The expiry of a right that ends with its token, unless the client refreshes it. */
export function expiryOf(token: VerifiedToken): Expiry {
  return { at: token.expiresAt, clientRefresh: true };
}

/** The token of a connection. */
export function connectionToken(client: Client): VerifiedToken | null {
  return client.state instanceof ConnectionCredentials ? client.state.token : null;
}

/** The token that a live subscription currently depends on; `null` for public channels and without a token. */
export function subscriptionToken(client: Client, channel: string): VerifiedToken | null {
  const state = client.subscriptionState(channel);
  if (!(state instanceof SubscriptionCredentials) || state.boundTo === null) return null;
  return state.boundTo === 'connection' ? connectionToken(client) : state.boundTo;
}

/** True when the subscription depends on the connection's token. */
export function isBoundToConnection(client: Client, channel: string): boolean {
  const state = client.subscriptionState(channel);
  return state instanceof SubscriptionCredentials && state.boundTo === 'connection';
}

/** What is decided about a connection without a token. */
export const ANONYMOUS: ConnectDecision = { user: '', state: new ConnectionCredentials(null) };

/** What is decided about a connection that brings a valid token. */
export function connectDecision(token: VerifiedToken): ConnectDecision {
  return { user: token.subject, expiry: expiryOf(token), state: new ConnectionCredentials(token) };
}
