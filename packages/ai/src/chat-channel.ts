import { type MsgClient, MsgError, type Subscription } from '@msg/client';
import type { AppendDocument } from '@msg/client/appends';
import { codedError, documentOf, type Growth, SeenMessages } from '@msg/client/internal';
import type { Clock, TimerHandle } from '@msg/foundation/clock';

/** Who follows the messages of a channel. */
export interface Follower {
  /** It waits for a message that may have ended before it was seen. */
  readonly isMissing: boolean;
  update(document: AppendDocument, growth: Growth): void;
  /** The service, or the application, ended the subscription. */
  ended(error: MsgError): void;
}

/** How long the subscription outlives its last follower: React mounts twice in development. */
const LINGER_MS = 5000;
/** Entries of the history in which messages are looked for. */
const MOST_ENTRIES = 100;
/** The stock client's code of an end that the application itself asked for. */
const UNSUBSCRIBE_CALLED = 0;

/** The messages of one channel, with one subscription for all who follow them. */
export class ChatChannel {
  readonly name: string;
  readonly #client: MsgClient;
  readonly #clock: Clock;
  readonly #onEnd: () => void;
  readonly #followers = new Set<Follower>();
  readonly #seen = new SeenMessages();
  /** The newest message that grew. */
  #newest: AppendDocument | null = null;
  #isOpen = false;
  #subscription: Subscription | null = null;
  #removesIt = false;
  #settled = Promise.withResolvers<void>();
  #lingering: TimerHandle | null = null;

  constructor(client: MsgClient, clock: Clock, name: string, onEnd: () => void) {
    this.#client = client;
    this.#clock = clock;
    this.name = name;
    this.#onEnd = onEnd;
  }

  /** The message that grows, as far as it was told. */
  get open(): AppendDocument | null {
    return this.#isOpen ? this.#newest : null;
  }

  /** Follows; the first follower starts the subscription. @throws MsgError MSG_CHANNEL_INVALID */
  join(follower: Follower): () => void {
    if (this.#lingering !== null) this.#clock.clearTimeout(this.#lingering);
    this.#followers.add(follower);
    if (this.#subscription === null) this.#begin();
    if (this.#subscription?.state === 'unsubscribed') this.#subscription.subscribe();
    return () => {
      if (!this.#followers.delete(follower) || this.#followers.size > 0) return;
      this.#lingering = this.#clock.setTimeout(() => this.end(), LINGER_MS);
    };
  }

  /**
   * Resolves when it is known which message is open, and when the channel is not open at all.
   * @throws MsgError why the service refused the subscription
   */
  settled(): Promise<void> {
    return this.#settled.promise;
  }

  /** Looks for messages that ended unseen, where the client may read the history. */
  async readMissed(): Promise<void> {
    const subscription = this.#subscription;
    if (subscription === null) return;
    try {
      const { publications } = await subscription.history({ limit: MOST_ENTRIES, reverse: true });
      for (const { data } of publications.toReversed()) this.#take(data);
    } catch {
      // Without a history there is only what comes.
    }
  }

  /** Ends the subscription. */
  end(): void {
    const subscription = this.#subscription;
    if (subscription === null) return;
    this.#subscription = null;
    subscription.off('publication', this.#received);
    subscription.off('subscribed', this.#subscribed);
    subscription.off('error', this.#troubled);
    subscription.off('unsubscribed', this.#unsubscribed);
    this.#client.off('terminal', this.#lost);
    if (this.#removesIt) this.#client.raw().removeSubscription(subscription);
    this.#onEnd();
    this.#lost(new MsgError('MSG_CHANNEL_CLOSED', 'the chat transport was closed'));
  }

  #begin(): void {
    const existing = this.#client.raw().getSubscription(this.name);
    const subscription = existing ?? this.#client.newSubscription(this.name, { delta: 'fossil' });
    this.#removesIt = existing === null;
    this.#subscription = subscription;
    subscription.on('publication', this.#received);
    subscription.on('subscribed', this.#subscribed);
    subscription.on('error', this.#troubled);
    subscription.on('unsubscribed', this.#unsubscribed);
    this.#client.on('terminal', this.#lost);
    this.#settled.promise.catch(() => {}); // who waits for it has the error
    if (subscription.state === 'subscribed') void this.#settle();
  }

  readonly #received = ({ data }: { readonly data: unknown }): void => this.#take(data);

  readonly #subscribed = ({ recovered }: { readonly recovered: boolean }): void => {
    // A message that is still open comes again.
    if (!recovered) this.#isOpen = false;
    void this.#settle();
    const isMissing = [...this.#followers].some(follower => follower.isMissing);
    if (!recovered && isMissing) void this.readMissed();
  };

  /** The open message comes right after the subscription's reply, so it is there once the next reply is. */
  async #settle(): Promise<void> {
    const settled = this.#settled;
    await this.#subscription?.history({ limit: 0 }).catch(() => {});
    settled.resolve();
  }

  readonly #troubled = (): void => {
    if (this.#subscription !== null && this.#client.statusOf(this.#subscription) === 'waiting')
      this.#settled.resolve();
  };

  readonly #unsubscribed = ({ code, reason }: { readonly code: number; readonly reason: string }): void => {
    const isOwn = code === UNSUBSCRIBE_CALLED;
    this.#lost(isOwn ? new MsgError('MSG_CHANNEL_CLOSED', reason) : codedError({ code, message: reason }));
  };

  readonly #lost = (error: MsgError): void => {
    this.#settled.reject(error);
    this.#settled = Promise.withResolvers();
    this.#settled.promise.catch(() => {}); // who waits for it has the error
    for (const follower of [...this.#followers]) follower.ended(error);
  };

  #take(data: unknown): void {
    const document = documentOf(data);
    if (document === null) return;
    const growth = this.#seen.grow(document);
    const isStreaming = document.status === 'streaming';
    if (isStreaming && growth !== null) this.#newest = document;
    if (this.#newest?.id === document.id) this.#isOpen = isStreaming;
    if (growth === null) return;
    for (const follower of [...this.#followers]) follower.update(document, growth);
  }
}
