import type { Init, Push } from '@msg/protocol';
import { Disconnect } from '../errors.ts';
import type { Client, TransportInfo } from '../policy.ts';
import type { ConnectionState } from './connection-state.ts';
import type { SubscriptionSet } from './subscription-set.ts';

/** The connection behind a handle. */
export interface ClientConnection {
  readonly connection: ConnectionState;
  readonly subscriptions: SubscriptionSet;
  readonly messages: { push(push: Init<Push>): void };
  close(disconnect: Disconnect): void;
}

/** A connection as the hooks of the policy see it. */
export class ClientHandle implements Client {
  readonly transport: TransportInfo;
  readonly #session: ClientConnection;

  constructor(session: ClientConnection, transport: TransportInfo) {
    this.#session = session;
    this.transport = transport;
  }

  get id(): string {
    return this.#session.connection.id;
  }

  get user(): string {
    return this.#session.connection.user;
  }

  get state(): unknown {
    return this.#session.connection.policyState;
  }

  isSubscribed(channel: string): boolean {
    return this.#session.subscriptions.get(channel)?.live === true;
  }

  subscriptionState(channel: string): unknown {
    return this.#session.subscriptions.get(channel)?.state;
  }

  channels(): string[] {
    return [...this.#session.subscriptions].filter(({ live }) => live).map(({ channel }) => channel);
  }

  send(data: Uint8Array): void {
    const { connection, messages } = this.#session;
    if (connection.phase === 'connected') messages.push({ message: { data } });
  }

  unsubscribe(channel: string, code: number, reason: string): void {
    this.#session.subscriptions.endWhenLive(channel, { code, reason });
  }

  disconnect(code: number, reason: string): void {
    this.#session.close(new Disconnect(code, reason));
  }
}
