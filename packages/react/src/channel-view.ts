import type { MsgError, SubscriptionStatus, TypedPublication } from '@msg/client';
import type { ClientStore } from './client-store.ts';
import { type ChannelState, type Member, type SharedChannel, UNSUBSCRIBED } from './shared-channel.ts';

/** The result of `useChannel`. */
export interface ChannelView<T> {
  /** `waiting`: the channel is not open yet; the subscription begins when it is. */
  readonly state: SubscriptionStatus;
  /** The newest publication. */
  readonly last: TypedPublication<T> | undefined;
  /** The newest `keep` publications, oldest first. */
  readonly items: readonly TypedPublication<T>[];
  /** Publishes into the channel. @throws MsgError as `MsgClient.publish` */
  readonly publish: (data: unknown) => Promise<void>;
  /** Why the subscription failed or ended; undefined once it is subscribed again. */
  readonly error: MsgError | undefined;
  /** After a lost connection: whether all publications were recovered. `false`: load the state again. */
  readonly recovered: boolean | undefined;
}

/**
 * The channel for one component. It is made during a render, which React may discard: it uses the channel only when React
 * subscribes it, and then takes the publications since the render.
 */
export class ComponentChannel<T> implements Member {
  readonly #store: ClientStore;
  readonly #name: string;
  readonly #publish: ChannelView<T>['publish'];
  /** The channel of the last render, and its number of publications then. */
  #seen: { readonly channel: SharedChannel | undefined; readonly count: number };
  #keep = 0;
  #onPublication: ((publication: TypedPublication<T>) => void) | undefined;
  #items: readonly TypedPublication<T>[] = [];
  #snapshot: ChannelView<T>;
  #notify: (() => void) | undefined;
  /** The view on the server, and while the channel is disabled. */
  readonly idle: ChannelView<T>;

  constructor(store: ClientStore, name: string) {
    this.#store = store;
    this.#name = name;
    this.#publish = data => store.publish(name, data);
    const channel = store.find(name);
    this.#seen = { channel, count: channel?.count ?? 0 };
    this.idle = this.#view(UNSUBSCRIBED);
    this.#snapshot = this.#view(channel?.state ?? UNSUBSCRIBED);
  }

  isOf(store: ClientStore, name: string): boolean {
    return this.#store === store && this.#name === name;
  }

  /** The options of the newest render. */
  configure(keep: number, onPublication: ((publication: TypedPublication<T>) => void) | undefined): void {
    this.#keep = keep;
    this.#onPublication = onPublication;
  }

  readonly snapshot = (): ChannelView<T> => this.#snapshot;

  readonly subscribe = (notify: () => void): (() => void) => {
    const channel = this.#store.channel(this.#name);
    const missed = channel.after(this.#seen.channel === channel ? this.#seen.count : 0);
    for (const publication of missed) this.#take(publication as TypedPublication<T>);
    this.#seen = { channel, count: 0 };
    const leave = channel.join(this);
    this.#refresh();
    this.#notify = notify;
    return () => {
      this.#seen = { channel, count: channel.count };
      this.#notify = undefined;
      leave();
    };
  };

  publication(publication: TypedPublication<unknown>): void {
    this.#take(publication as TypedPublication<T>); // the schema promises the type; it is not checked
    this.changed();
  }

  changed(): void {
    this.#refresh();
    this.#notify?.();
  }

  #take(publication: TypedPublication<T>): void {
    if (this.#keep > 0) this.#items = [...this.#items, publication].slice(-this.#keep);
    try {
      this.#onPublication?.(publication);
    } catch (error) {
      // An error of one component must not stop the delivery to the others.
      void Promise.reject(error);
    }
  }

  #refresh(): void {
    this.#snapshot = this.#view(this.#seen.channel?.state ?? UNSUBSCRIBED);
  }

  #view(channel: ChannelState): ChannelView<T> {
    return {
      ...channel,
      last: channel.last as ChannelView<T>['last'],
      items: this.#items,
      publish: this.#publish,
    };
  }
}
