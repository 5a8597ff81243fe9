import type { Init, Push } from '@msg/protocol';
import { type Unsubscribe, unsubscribe } from '../errors.ts';
import { notifyPolicy } from './context.ts';
import { type SubscribedConnection, Subscription } from './subscription.ts';
import { WaitingChannels, waitsForChannel } from './waiting-channels.ts';

/** The connection of a set of subscriptions. */
export interface SubscribingConnection extends SubscribedConnection {
  readonly closed: boolean;
  /** Takes a push of this connection alone. */
  readonly messages: { push(push: Init<Push>): void };
}

/** The channels of one connection: live ones, and those whose subscribe is under way. */
export class SubscriptionSet {
  readonly #session: SubscribingConnection;
  readonly #byChannel = new Map<string, Subscription>();
  /** Endings whose client has not been told yet, by channel. */
  #endings: Map<string, Promise<void>> | null = null;
  /** Absent until the client waits for a channel. */
  #waiting: WaitingChannels | null = null;

  constructor(session: SubscribingConnection) {
    this.#session = session;
  }

  get size(): number {
    return this.#byChannel.size;
  }

  /** Whether one more subscription stays within the limit; channels that the client waits for count. */
  hasRoomFor(channel: string): boolean {
    const { channelsPerClient } = this.#session.context.limits;
    const waiting = this.#waiting?.countWithout(channel) ?? 0;
    if (this.size + waiting < channelsPerClient) return true;
    this.#dropAbandonedWaits();
    return this.size + (this.#waiting?.countWithout(channel) ?? 0) < channelsPerClient;
  }

  /** A subscribe was refused. The client waits for the channel when the refusal tells it to. */
  refused(channel: string, error: unknown): void {
    if (!waitsForChannel(error)) {
      this.stopWaiting(channel);
      return;
    }
    // The connection may have ended while the subscribe was under way.
    if (this.#session.closed) return;
    this.#waiting ??= new WaitingChannels(this.#session.context.stats);
    this.#waiting.add(channel, this.#session.context.clock.monotonic());
  }

  /** The channel is subscribed, refused for good, or no longer wanted. */
  stopWaiting(channel: string): void {
    this.#waiting?.delete(channel);
  }

  #dropAbandonedWaits(): void {
    this.#waiting?.dropAbandoned(this.#session.context.clock.monotonic());
  }

  get(channel: string): Subscription | undefined {
    return this.#byChannel.get(channel);
  }

  [Symbol.iterator](): IterableIterator<Subscription> {
    return this.#byChannel.values();
  }

  /** Keeps the channel for a subscribe that begins. The caller checked that it is free. */
  reserve(channel: string, serverSide: boolean): Subscription {
    const subscription = new Subscription(this.#session, channel, serverSide);
    this.#byChannel.set(channel, subscription);
    this.#session.context.hub.addPending(subscription);
    return subscription;
  }

  /**
   * Frees whatever the subscription holds. Resolves when others cannot see it any more; null when they never
   * could, or no longer can. Safe to call more than once.
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
   * Ends a live subscription from the server's side. The client is told once nothing of it is left, so that it
   * may subscribe again at once (client protocol 9.3).
   */
  end(subscription: Subscription, unsubscribe: Unsubscribe): void {
    const departure = this.release(subscription);
    this.#notifyPolicy(subscription, unsubscribe);
    const notifyClient = (): void => {
      // A new subscription of the same channel is not what this push is about.
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

  /** Ends a live subscription, or one whose subscribe is under way right after its reply. */
  endWhenLive(channel: string, unsubscribe: Unsubscribe): boolean {
    const subscription = this.#byChannel.get(channel);
    if (subscription === undefined) return false;
    if (subscription.live) this.end(subscription, unsubscribe);
    else subscription.unsubscribeWhenLive = unsubscribe;
    return true;
  }

  /** Ends a subscription as its client asked. Resolves, or answers null, when the client may be told. */
  leave(channel: string): Promise<void> | null {
    this.stopWaiting(channel);
    const subscription = this.#byChannel.get(channel);
    // The push of an ending under way goes before the reply: nothing of the channel may follow that.
    if (subscription === undefined) return this.#endings?.get(channel) ?? null;
    const departure = this.release(subscription);
    this.#notifyPolicy(subscription, unsubscribe.clientUnsubscribed);
    return departure;
  }

  /**
   * Keeps presence entries alive and checks positions (client protocol 15, 11.6), and forgets the channels that the
   * client stopped retrying.
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

  /** Frees everything: the connection is over. */
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
