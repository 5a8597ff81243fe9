import {
  type MsgClient,
  MsgError,
  type Subscription,
  type SubscriptionStatus,
  type TypedPublication,
} from '@msg/client';
import { codedError } from '@msg/client/internal';
import { listen } from './listen.ts';
import { PresenceList } from './presence-list.ts';

export type AnyPublication = TypedPublication<unknown>;

/** The state of a channel for components. */
export interface ChannelState {
  readonly state: SubscriptionStatus;
  /** The newest publication since the subscription began. */
  readonly last: AnyPublication | undefined;
  readonly error: MsgError | undefined;
  readonly recovered: boolean | undefined;
}

/** A component that shows the channel. */
export interface Member {
  publication(publication: AnyPublication): void;
  /** The state has changed. */
  changed(): void;
}

/** How long the subscription outlives its last component, because the next route may show the channel again. */
const LINGER_MS = 250;
/** Publications that are retained for components that rendered and are not members yet. */
const RECENT = 256;
/** The stock client's codes of an `unsubscribed` event: by the client, and for a missing token. */
const UNSUBSCRIBE_CALLED = 0;
const UNAUTHORIZED = 1;

export const UNSUBSCRIBED: ChannelState = {
  state: 'unsubscribed',
  last: undefined,
  error: undefined,
  recovered: undefined,
};

/** One channel of one client: the wire subscription that all components share. */
export class SharedChannel {
  readonly #client: MsgClient;
  readonly #name: string;
  readonly #onEnd: () => void;
  readonly #members = new Set<Member>();
  readonly #recent: AnyPublication[] = [];
  #count = 0;
  #state = UNSUBSCRIBED;
  #subscription: Subscription | undefined;
  /** Removes the listeners, and the subscription unless the application made it. */
  #leave: (() => void) | undefined;
  #ending: ReturnType<typeof setTimeout> | undefined;
  readonly presence = new PresenceList();

  constructor(client: MsgClient, name: string, onEnd: () => void) {
    this.#client = client;
    this.#name = name;
    this.#onEnd = onEnd;
  }

  get state(): ChannelState {
    return this.#state;
  }

  /** Number of publications so far. */
  get count(): number {
    return this.#count;
  }

  /** The retained publications after the first `count`. */
  after(count: number): readonly AnyPublication[] {
    return this.#recent.slice(Math.max(0, this.#recent.length - (this.#count - count)));
  }

  /** Adds a component; the first one starts the subscription. Returns a function that removes it. */
  join(member: Member): () => void {
    clearTimeout(this.#ending);
    this.#members.add(member);
    try {
      this.#subscription ??= this.#begin();
      if (this.#subscription.state === 'unsubscribed') this.#subscription.subscribe();
    } catch (error) {
      this.#set({ error: error instanceof MsgError ? error : codedError(error) });
    }
    return () => {
      this.#members.delete(member);
      if (this.#members.size === 0) this.#ending = setTimeout(() => this.#end(), LINGER_MS);
    };
  }

  /** @throws MsgError MSG_CHANNEL_INVALID */
  #begin(): Subscription {
    const stock = this.#client.raw();
    const existing = stock.getSubscription(this.#name);
    const subscription = existing ?? this.#client.newSubscription(this.#name, { joinLeave: true });
    const stopListening = this.#listen(subscription);
    const stopPresence = this.presence.follow(subscription);
    this.#leave = () => {
      stopListening();
      stopPresence();
      if (existing === null) stock.removeSubscription(subscription);
    };
    return subscription;
  }

  #listen(subscription: Subscription): () => void {
    const status = (): SubscriptionStatus => this.#client.statusOf(subscription);
    this.#set({ state: status() });
    return listen(subscription, {
      publication: publication => this.#publish(publication),
      state: () => this.#set({ state: status() }),
      subscribed: ({ wasRecovering, recovered }) =>
        this.#set({ error: undefined, recovered: wasRecovering ? recovered : undefined }),
      error: ({ error }) => this.#set({ state: status(), error: codedError(error) }),
      unsubscribed: ({ code, reason }) => {
        if (code === UNAUTHORIZED) this.#set({ error: new MsgError('MSG_AUTH_DENIED', reason) });
        else if (code !== UNSUBSCRIBE_CALLED) this.#set({ error: codedError({ code, message: reason }) });
      },
    });
  }

  #publish(publication: AnyPublication): void {
    this.#count++;
    this.#recent.push(publication);
    if (this.#recent.length > RECENT) this.#recent.shift();
    this.#state = { ...this.#state, last: publication };
    // Iterates over a copy: a component that joins meanwhile takes the publication from the retained ones.
    for (const member of [...this.#members]) member.publication(publication);
  }

  #set(changes: Partial<ChannelState>): void {
    this.#state = { ...this.#state, ...changes };
    for (const member of this.#members) member.changed();
  }

  #end(): void {
    this.#leave?.();
    this.#onEnd();
  }
}
