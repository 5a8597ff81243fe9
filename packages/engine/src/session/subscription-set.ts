import type { Init, Push } from '@msg/protocol';
import { type Unsubscribe, unsubscribe } from '../errors.ts';
import { notifyPolicy } from './context.ts';
import { type SubscribedConnection, Subscription } from './subscription.ts';
import { WaitingChannels, waitsForChannel } from './waiting-channels.ts';

/** The connection of a set of subscriptions. */
export interface SubscribingConnection extends SubscribedConnection {
  readonly closed: boolean;
  /** Queues a push of this connection alone. */
  readonly messages: { push(push: Init<Push>): void };
}

/** The channels of one connection: live subscriptions, and those whose subscribe is in progress. */
export class SubscriptionSet {
  readonly #session: SubscribingConnection;
  readonly #byChannel = new Map<string, Subscription>();
  /** Unsubscribes whose push has not been sent yet, by channel. */
  #endings: Map<string, Promise<void>> | null = null;
  /** Absent until the client waits for a channel. */
  #waiting: WaitingChannels | null = null;

  constructor(session: SubscribingConnection) {
    this.#session = session;
  }

  get size(): number {
    return this.#byChannel.size;
  }

  /** Whether one more subscription is within the limit; channels that the client waits for count. */
  hasRoomFor(channel: string): boolean {
    const { channelsPerClient } = this.#session.context.limits;
    const waiting = this.#waiting?.countWithout(channel) ?? 0;
    if (this.size + waiting < channelsPerClient) return true;
    this.#dropAbandonedWaits();
    return this.size + (this.#waiting?.countWithout(channel) ?? 0) < channelsPerClient;
  }

  /** A subscribe was refused. With a temporary 102 the client waits for the channel. */
  refused(channel: string, error: unknown): void {
    if (!waitsForChannel(error)) {
      this.stopWaiting(channel);
      return;
    }
    // The connection may have ended during the subscribe.
    if (this.#session.closed) return;
    this.#waiting ??= new WaitingChannels(this.#session.context.stats);
    this.#waiting.add(channel, this.#session.context.clock.monotonic());
  }

  /** Stops counting a channel as waited for: it is subscribed, refused for good, or no longer requested. */
  stopWaiting(channel: string): void {
    this.#waiting?.delete(channel);
  }

  #dropAbandonedWaits(): void {
    this.#waiting?.dropAbandoned(this.#session.context.clock.monotonic());
  }

  /** The channels that the client waits for, with the monotonic moment of its last attempt. */
  waiting(): Iterable<readonly [channel: string, attemptedAt: number]> {
    return this.#waiting?.entries() ?? [];
  }

  get(channel: string): Subscription | undefined {
    return this.#byChannel.get(channel);
  }

  [Symbol.iterator](): IterableIterator<Subscription> {
    return this.#byChannel.values();
  }

  /** Reserves the channel for a subscribe. The caller checked that it is free. */
  reserve(channel: string, serverSide: boolean): Subscription {
    const subscription = new Subscription(this.#session, channel, serverSide);
    this.#byChannel.set(channel, subscription);
    this.#session.context.hub.addPending(subscription);
    return subscription;
  }

  /**
   * Frees everything that the subscription holds. Resolves when others no longer see it; null when they already do not.
   * Safe to call again.
   */
  release(subscription: Subscription): Promise<void> | null {
    const { context } = this.#session;
    if (this.#byChannel.get(subscription.channel) === subscription)
      this.#byChannel.delete(subscription.channel);
    context.hub.remove(subscription);
    const departure = subscription.end();
    if (departure !== null) context.inBackground(departure);
    return departure;
  }

  /**
   * Ends a live subscription from the server's side. The push is sent after everything is freed, so that the client may
   * subscribe again at once (client protocol 9.3).
   */
  end(subscription: Subscription, unsubscribe: Unsubscribe): void {
    const departure = this.release(subscription);
    this.#notifyPolicy(subscription, unsubscribe);
    const notifyClient = (): void => {
      // The push must not end a new subscription of the same channel.
      if (this.#byChannel.has(subscription.channel)) return;
      this.#session.messages.push({ channel: subscription.channel, unsubscribe });
    };
    if (departure === null) notifyClient();
    else {
      const { channel } = subscription;
      const notified = departure.then(() => {
        if (this.#endings?.get(channel) === notified) this.#endings.delete(channel);
        notifyClient();
      });
      this.#endings ??= new Map();
      this.#endings.set(channel, notified);
    }
  }

  /** Ends a live subscription now, or one whose subscribe is in progress right after its reply. */
  endWhenLive(channel: string, unsubscribe: Unsubscribe): boolean {
    const subscription = this.#byChannel.get(channel);
    if (subscription === undefined) return false;
    if (subscription.live) this.end(subscription, unsubscribe);
    else subscription.unsubscribeWhenLive = unsubscribe;
    return true;
  }

  /** Ends a subscription for its client. The reply may be sent when the promise resolves, or at once for null. */
  leave(channel: string): Promise<void> | null {
    this.stopWaiting(channel);
    const subscription = this.#byChannel.get(channel);
    // The push of an unsubscribe in progress precedes the reply: no message of the channel may follow the reply.
    if (subscription === undefined) return this.#endings?.get(channel) ?? null;
    const departure = this.release(subscription);
    this.#notifyPolicy(subscription, unsubscribe.clientUnsubscribed);
    return departure;
  }

  /**
   * Refreshes presence entries and checks positions (client protocol 15, 11.6), and drops the channels that the client
   * stopped retrying.
   */
  tick(): void {
    const { positions } = this.#session.context;
    this.#dropAbandonedWaits();
    for (const { live, info, presenceEntry, positioned, hubChannel } of [...this]) {
      if (!live) continue;
      presenceEntry?.refresh(this.#session.connection.clientInfo(info));
      if (positioned && hubChannel !== null) positions.checkIfQuiet(hubChannel);
    }
  }

  /** Frees everything: the connection ended. */
  releaseAll(): void {
    this.#waiting?.clear();
    for (const subscription of [...this.#byChannel.values()]) {
      const { live } = subscription;
      this.release(subscription);
      if (live) this.#notifyPolicy(subscription, unsubscribe.clientDisconnected);
    }
  }

  #notifyPolicy({ channel }: Subscription, { code, reason }: Unsubscribe): void {
    const { context, client } = this.#session;
    notifyPolicy(context, () => context.policy.unsubscribed?.(client, channel, code, reason));
  }
}
