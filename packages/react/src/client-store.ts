import type { ClientState, MsgClient } from '@msg/client';
import { SharedChannel } from './shared-channel.ts';

/** The state of the connection; see the `state` event of the client. */
export interface Connection {
  readonly state: ClientState;
  readonly reason: string;
  readonly attempt: number;
  readonly nextRetryMs: number | undefined;
}

/** Shared by all hooks of one client: the state of its connection and a subscription per channel. */
export class ClientStore {
  readonly #client: MsgClient;
  readonly #channels = new Map<string, SharedChannel>();
  readonly #listeners = new Set<() => void>();
  #connection: Connection;

  constructor(client: MsgClient) {
    this.#client = client;
    this.#connection = { state: client.state, reason: '', attempt: 0, nextRetryMs: undefined };
    client.on('state', ({ state, reason, attempt, nextRetryMs }) => {
      this.#connection = { state, reason, attempt, nextRetryMs };
      for (const listener of this.#listeners) listener();
    });
  }

  readonly connection = (): Connection => this.#connection;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  publish(name: string, data: unknown): Promise<void> {
    return this.#client.publish(name, data);
  }

  /** The channel, while a component shows it. */
  find(name: string): SharedChannel | undefined {
    return this.#channels.get(name);
  }

  /** The channel, which is made for its first component. */
  channel(name: string): SharedChannel {
    const existing = this.#channels.get(name);
    if (existing !== undefined) return existing;
    const channel = new SharedChannel(this.#client, name, () => this.#channels.delete(name));
    this.#channels.set(name, channel);
    return channel;
  }
}

/** One store per client, which ends with the client. */
const STORES = new WeakMap<MsgClient, ClientStore>();

export function storeOf(client: MsgClient): ClientStore {
  const store = STORES.get(client) ?? new ClientStore(client);
  STORES.set(client, store);
  return store;
}
