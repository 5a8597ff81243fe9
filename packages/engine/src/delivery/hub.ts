import type { Clock } from '@msg/foundation/clock';
import type { ClientInfo, Publication } from '@msg/protocol';
import type { Broker, StreamPosition } from '../broker/contract.ts';
import { EncodedJoinLeave, EncodedPublication } from './encoded-push.ts';
import { HubChannel, type Subscriber } from './hub-channel.ts';

/**
 * Who on this node is subscribed to what. The first subscriber of a channel subscribes the node at the broker, the
 * last one leaving unsubscribes it; both are serialised per channel.
 */
export class Hub {
  readonly #broker: Broker;
  readonly #channels = new Map<string, HubChannel>();
  /** Subscribes that are still being authorised. */
  readonly #pending = new Set<Subscriber>();
  #lastId = 0;
  #subscriptions = 0;

  constructor(broker: Broker) {
    this.#broker = broker;
  }

  /** Channels known on this node. */
  get channelCount(): number {
    return this.#channels.size;
  }

  /** Registered subscriptions of all channels. */
  get subscriptionCount(): number {
    return this.#subscriptions;
  }

  channel(name: string): HubChannel | undefined {
    return this.#channels.get(name);
  }

  /** Channels with subscribers on this node. */
  *channels(): Iterable<string> {
    for (const { name, subscribers } of this.#channels.values()) if (subscribers.length > 0) yield name;
  }

  /** As {@link channels}, the entries themselves; of these names when they are given. */
  *entries(names: Iterable<string> = this.#channels.keys()): Iterable<HubChannel> {
    for (const name of names) {
      const channel = this.#channels.get(name);
      if (channel !== undefined && channel.subscribers.length > 0) yield channel;
    }
  }

  /** Live subscriptions of one channel on this node. */
  subscriberCount(name: string): number {
    return this.#channels.get(name)?.live ?? 0;
  }

  /** A subscribe has begun; it is registered once it is authorised. */
  addPending(subscription: Subscriber): void {
    this.#pending.add(subscription);
  }

  /** Registered subscriptions of a channel and those still being authorised. */
  *subscribersAndPending(name: string): Iterable<Subscriber> {
    yield* this.#channels.get(name)?.subscribers ?? [];
    for (const subscription of this.#pending) if (subscription.channel === name) yield subscription;
  }

  /** Registers at once; resolves when publications are certain to arrive. Rejects as the broker does. */
  async add(subscription: Subscriber): Promise<void> {
    this.#pending.delete(subscription);
    let channel = this.#channels.get(subscription.channel);
    if (channel === undefined) {
      channel = new HubChannel(subscription.channel, ++this.#lastId);
      this.#channels.set(channel.name, channel);
    }
    subscription.hubChannel = channel;
    subscription.hubIndex = channel.subscribers.push(subscription) - 1;
    this.#subscriptions++;
    if (!channel.brokerSubscribed) await this.#ensureBrokerSubscribed(channel);
  }

  /** Forgets a subscription; no effect when it is not known. */
  remove(subscription: Subscriber): void {
    this.#pending.delete(subscription);
    const channel = subscription.hubChannel;
    if (channel === null) return;
    const last = channel.subscribers.pop() as Subscriber;
    if (last !== subscription) {
      channel.subscribers[subscription.hubIndex] = last;
      last.hubIndex = subscription.hubIndex;
    }
    subscription.hubChannel = null;
    if (subscription.live) channel.live--;
    this.#subscriptions--;
    if (channel.subscribers.length === 0) this.#release(channel);
  }

  /**
   * Hands a publication to every local subscriber. Walks backwards, so a subscription that ends while it is
   * served (its place is taken by the last one, already served) neither hides nor repeats another.
   */
  broadcast(
    name: string,
    publication: Publication,
    position: StreamPosition,
    delta: boolean,
    previous: Publication | null,
    isVolatile: boolean,
    clock: Pick<Clock, 'monotonic'>,
  ): void {
    const channel = this.#channels.get(name);
    if (channel === undefined) return;
    channel.behindSubscriber = false;
    const encoded = new EncodedPublication(channel, publication, position, delta, previous, isVolatile);
    const { subscribers } = channel;
    // A hook that is notified of an end may end others: the list can get shorter under the walk.
    for (let i = subscribers.length - 1; i >= 0; i--) subscribers[i]?.deliver(encoded);
    // Only the position check can tell the two apart, so it must not be put off; one without offset proves nothing.
    if (!channel.behindSubscriber && position.offset > 0) channel.verifiedAt = clock.monotonic();
  }

  broadcastJoinLeave(name: string, kind: 'join' | 'leave', info: ClientInfo): void {
    const channel = this.#channels.get(name);
    if (channel === undefined) return;
    const encoded = new EncodedJoinLeave(channel, kind, info);
    const { subscribers } = channel;
    for (let i = subscribers.length - 1; i >= 0; i--) {
      subscribers[i]?.deliverJoinLeave(encoded);
    }
  }

  #ensureBrokerSubscribed(channel: HubChannel): Promise<void> {
    return channel.brokerOperations.run(async () => {
      if (channel.brokerSubscribed || channel.subscribers.length === 0) return;
      await this.#broker.subscribe(channel.name);
      channel.brokerSubscribed = true;
      // All subscribers may have left while the broker was answering.
      if (channel.subscribers.length === 0) this.#release(channel);
    });
  }

  #release(channel: HubChannel): void {
    const release = async () => {
      if (channel.subscribers.length > 0) return;
      if (channel.brokerSubscribed) {
        channel.brokerSubscribed = false;
        await this.#broker.unsubscribe(channel.name);
      }
      this.#forget(channel);
    };
    // The broker keeps or retries its own side; without subscribers the entry is of no use here.
    channel.brokerOperations.run(release).catch(() => this.#forget(channel));
  }

  /** A release may come twice; by the second time, the name may belong to a new entry. */
  #forget(channel: HubChannel): void {
    if (channel.subscribers.length > 0 || this.#channels.get(channel.name) !== channel) return;
    this.#channels.delete(channel.name);
  }
}
