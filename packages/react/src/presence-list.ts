import type { ClientInfo, MsgError, Subscription } from '@msg/client';
import { codedError } from '@msg/client/internal';
import { listen } from './listen.ts';

/** The known subscribers of a channel. */
export interface PresenceState {
  readonly clients: readonly ClientInfo[];
  readonly error: MsgError | undefined;
}

export const NO_CLIENTS: PresenceState = { clients: [], error: undefined };

type Change = (clients: Map<string, ClientInfo>) => void;

/** The clients of one channel: read once it is subscribed, then updated by joins and leaves. */
export class PresenceList {
  readonly #readers = new Set<() => void>();
  readonly #clients = new Map<string, ClientInfo>();
  /** Joins and leaves since the request for the list, whose answer may lack them. */
  #pending: Change[] | undefined;
  #subscription: Subscription | undefined;
  #state = NO_CLIENTS;

  get state(): PresenceState {
    return this.#state;
  }

  /** Follows the joins and leaves of a subscription. Returns a function that stops it. */
  follow(subscription: Subscription): () => void {
    this.#subscription = subscription;
    return listen(subscription, {
      subscribed: () => this.#request(),
      join: ({ info }) => this.#apply(clients => clients.set(info.client, info)),
      leave: ({ info }) => this.#apply(clients => clients.delete(info.client)),
    });
  }

  /** Adds a reader; the first one requests the list. Returns a function that removes it. */
  read(onChange: () => void): () => void {
    this.#readers.add(onChange);
    if (this.#readers.size === 1) this.#request();
    return () => this.#readers.delete(onChange);
  }

  #request(): void {
    const subscription = this.#subscription;
    if (this.#readers.size === 0 || subscription?.state !== 'subscribed') return;
    const pending: Change[] = [];
    this.#pending = pending;
    subscription.presence().then(
      ({ clients }) => {
        if (this.#pending !== pending) return; // a newer request is in flight
        this.#pending = undefined;
        this.#clients.clear();
        for (const info of Object.values(clients)) this.#clients.set(info.client, info);
        for (const change of pending) change(this.#clients);
        this.#set(undefined);
      },
      (error: unknown) => this.#set(codedError(error)),
    );
  }

  #apply(change: Change): void {
    change(this.#clients);
    this.#pending?.push(change);
    this.#set(undefined);
  }

  #set(error: MsgError | undefined): void {
    this.#state = { clients: [...this.#clients.values()], error };
    for (const onChange of this.#readers) onChange();
  }
}
