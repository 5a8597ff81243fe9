import type { Clock } from '@msg/foundation/clock';
import type { ClientInfo, Publication } from '@msg/protocol';
import type { AppendedState } from '../append/contract.ts';
import type { Broker, StreamPosition } from '../broker/contract.ts';
import { EncodedJoinLeave, EncodedPublication } from './encoded-push.ts';
import { type ChannelTap, HubChannel, type Subscriber } from './hub-channel.ts';
import { type StateCounts, StateReaders } from './state-readers.ts';

/**
 * The subscriptions of this node by channel. The first subscriber of a channel subscribes the node at the broker, the
 * last one to leave unsubscribes it; both run one after the other per channel.
 */
export class Hub {
  readonly #broker: Broker;
  readonly #counts: StateCounts;
  readonly #channels = new Map<string, HubChannel>();
  /** Subscribes that wait for authorisation. */
  readonly #pending = new Set<Subscriber>();
  /** Channels with a tap. */
  readonly #tapped = new Set<HubChannel>();
  #lastId = 0;
  #subscriptions = 0;

  constructor(broker: Broker, counts: StateCounts) {
    this.#broker = broker;
    this.#counts = counts;
  }

  /** Channels with an entry on this node that is not there for taps alone. */
  get channelCount(): number {
    let count = this.#channels.size;
    for (const { subscribers } of this.#tapped) if (subscribers.length === 0) count--;
    return count;
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

  /** The entries of all channels, or of these names. */
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

  /** Adds a subscribe that waits for authorisation. */
  addPending(subscription: Subscriber): void {
    this.#pending.add(subscription);
  }

  /** Registered subscriptions of a channel and those that wait for authorisation. */
  *subscribersAndPending(name: string): Iterable<Subscriber> {
    yield* this.#channels.get(name)?.subscribers ?? [];
    for (const subscription of this.#pending) if (subscription.channel === name) yield subscription;
  }

  /** Registers at once; resolves when publications are certain to arrive. Rejects with the broker's error. */
  async add(subscription: Subscriber): Promise<void> {
    this.#pending.delete(subscription);
    const channel = this.#entry(subscription.channel);
    subscription.hubChannel = channel;
    subscription.hubIndex = channel.subscribers.push(subscription) - 1;
    this.#subscriptions++;
    if (!channel.brokerSubscribed) await this.#ensureBrokerSubscribed(channel);
  }

  /**
   * Shows the publications of a channel to a tap, until the returned function is called. Resolves when they are certain to
   * arrive. Rejects with the broker's error.
   */
  async tap(name: string, tap: ChannelTap): Promise<() => void> {
    const channel = this.#entry(name);
    channel.taps ??= new Set();
    channel.taps.add(tap);
    this.#tapped.add(channel);
    const untap = (): void => {
      if (channel.taps?.delete(tap) !== true || channel.taps.size > 0) return;
      channel.taps = undefined;
      this.#tapped.delete(channel);
      if (!channel.inUse) this.#release(channel);
    };
    try {
      if (!channel.brokerSubscribed) await this.#ensureBrokerSubscribed(channel);
    } catch (error) {
      untap();
      throw error;
    }
    return untap;
  }

  #entry(name: string): HubChannel {
    let channel = this.#channels.get(name);
    if (channel === undefined) {
      channel = new HubChannel(name, ++this.#lastId);
      this.#channels.set(name, channel);
    }
    return channel;
  }

  /** Removes a subscription; no effect when it is not registered. */
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
   * Delivers a publication to every local subscriber. Walks backwards: a subscription that ends meanwhile is replaced by
   * the last one, which already has the publication, so none is skipped or served twice.
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
    if (channel.taps !== undefined) for (const tap of channel.taps) tap.published(publication, position);
    const encoded = new EncodedPublication(channel, publication, position, delta, previous, isVolatile);
    // States that were held back go first, so that offsets rise.
    if (channel.readers !== null) channel.readers.serveAll();
    channel.behindSubscriber = false;
    const { subscribers } = channel;
    // A hook that is notified of an end may end other subscriptions: the list can shrink during the walk.
    for (let i = subscribers.length - 1; i >= 0; i--) subscribers[i]?.deliver(encoded);
    // Only the position check tells a duplicate from a truncated stream, so it must run; a publication without offset
    // proves nothing.
    if (!channel.behindSubscriber && position.offset > 0) channel.verifiedAt = clock.monotonic();
  }

  /** Delivers a state of an append stream, as often as its readers may get it. */
  appended(name: string, state: AppendedState, fullWindowMs: number | undefined, clock: Clock): void {
    const channel = this.#channels.get(name);
    if (channel === undefined) return;
    if (channel.taps !== undefined)
      for (const tap of channel.taps) tap.published(state.publication, state.position);
    channel.readers ??= new StateReaders(channel, clock, this.#counts);
    channel.readers.deliver(state, fullWindowMs);
  }

  /** States of a channel were missed: its positioned subscribers have to recover. */
  missed(name: string): void {
    const subscribers = this.#channels.get(name)?.subscribers ?? [];
    for (let i = subscribers.length - 1; i >= 0; i--) {
      const subscriber = subscribers[i];
      if (subscriber?.live === true && subscriber.positioned) subscriber.onContinuityLost();
    }
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
      if (channel.brokerSubscribed || !channel.inUse) return;
      await this.#broker.subscribe(channel.name);
      channel.brokerSubscribed = true;
      // All subscribers may have left during the broker's subscribe.
      if (!channel.inUse) this.#release(channel);
    });
  }

  #release(channel: HubChannel): void {
    channel.readers?.stop();
    channel.readers = null;
    const release = async () => {
      if (channel.inUse) return;
      if (channel.brokerSubscribed) {
        channel.brokerSubscribed = false;
        await this.#broker.unsubscribe(channel.name);
      }
      this.#forget(channel);
    };
    // The broker retries on its side; an entry without subscribers has no use here.
    channel.brokerOperations.run(release).catch(() => this.#forget(channel));
  }

  /** A channel may be released twice; at the second time the name may belong to a new entry. */
  #forget(channel: HubChannel): void {
    if (channel.inUse || this.#channels.get(channel.name) !== channel) return;
    this.#channels.delete(channel.name);
  }
}
