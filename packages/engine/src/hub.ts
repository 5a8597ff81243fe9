import { type ClientInfo, type Publication, PushTarget } from '@msg/protocol';
import type { Broker, StreamPosition } from './broker/contract.ts';
import { PreparedJoinLeave, PreparedPublication } from './prepared.ts';
import type { Subscription } from './session/subscription.ts';

/** One channel with local subscribers, or whose broker subscription is still being dropped. */
export class HubChannel {
  readonly name: string;
  /** Stands for the name in pushes to subscribers with channel compaction; never 0 (client protocol 14). */
  readonly id: number;
  /** The channel as pushes address it, encoded once. */
  readonly byName: PushTarget;
  readonly byId: PushTarget;
  /** Registered subscriptions, in no particular order; each knows its index. */
  readonly subscribers: Subscription[] = [];
  /** How many of them are live: replied to, and counted as subscribers. */
  live = 0;
  /** Settles when the broker's last (un)subscribe for this channel has settled. */
  brokerStep: Promise<void> = Promise.resolve();
  /** True once publications are certain to arrive. */
  fed = false;
  /** Clock time of the last publication or position check, Unix ms. */
  verifiedAt = 0;
  /** A subscriber is beyond the publication in work: it repeats itself, or the stream has lost its end. */
  overtaken = false;
  /** A position check is under way. */
  checking = false;

  constructor(name: string, id: number) {
    this.name = name;
    this.id = id;
    this.byName = PushTarget.byName(name);
    this.byId = PushTarget.byId(id);
  }
}

/**
 * Who on this node listens to what. The first subscriber of a channel subscribes the node at the broker, the
 * last one leaving unsubscribes it; both are serialised per channel.
 */
export class Hub {
  readonly #broker: Broker;
  readonly #channels = new Map<string, HubChannel>();
  /** Subscribes that are still being authorised. */
  readonly #expected = new Set<Subscription>();
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

  /** Channels that somebody on this node subscribes to. */
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
  expect(subscription: Subscription): void {
    this.#expected.add(subscription);
  }

  /** Registered subscriptions of a channel and those still being authorised. */
  *involved(name: string): Iterable<Subscription> {
    yield* this.#channels.get(name)?.subscribers ?? [];
    for (const subscription of this.#expected) if (subscription.channel === name) yield subscription;
  }

  /** Registers at once; resolves when publications are certain to arrive. Rejects as the broker does. */
  async add(subscription: Subscription): Promise<void> {
    this.#expected.delete(subscription);
    let channel = this.#channels.get(subscription.channel);
    if (channel === undefined) {
      channel = new HubChannel(subscription.channel, ++this.#lastId);
      this.#channels.set(channel.name, channel);
    }
    subscription.hubChannel = channel;
    subscription.hubIndex = channel.subscribers.push(subscription) - 1;
    this.#subscriptions++;
    if (!channel.fed) await this.#feed(channel);
  }

  /** Forgets a subscription; no effect when it is not known. */
  remove(subscription: Subscription): void {
    this.#expected.delete(subscription);
    const channel = subscription.hubChannel;
    if (channel === null) return;
    const last = channel.subscribers.pop() as Subscription;
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
    now: number,
  ): void {
    const channel = this.#channels.get(name);
    if (channel === undefined) return;
    channel.overtaken = false;
    const prepared = new PreparedPublication(channel, publication, position, delta, previous);
    const { subscribers } = channel;
    // A hook that is told of an end may end others: the list can get shorter under the walk.
    for (let i = subscribers.length - 1; i >= 0; i--) subscribers[i]?.deliver(prepared);
    // Only the position check can tell the two apart, so it must not be put off.
    if (!channel.overtaken) channel.verifiedAt = now;
  }

  broadcastJoinLeave(name: string, kind: 'join' | 'leave', info: ClientInfo): void {
    const channel = this.#channels.get(name);
    if (channel === undefined) return;
    const prepared = new PreparedJoinLeave(channel, kind, info);
    const { subscribers } = channel;
    for (let i = subscribers.length - 1; i >= 0; i--) {
      subscribers[i]?.deliverJoinLeave(prepared);
    }
  }

  async #feed(channel: HubChannel): Promise<void> {
    const step = channel.brokerStep.then(async () => {
      if (channel.fed || channel.subscribers.length === 0) return;
      await this.#broker.subscribe(channel.name);
      channel.fed = true;
      // Everybody may have left while the broker was answering.
      if (channel.subscribers.length === 0) this.#release(channel);
    });
    channel.brokerStep = step.catch(() => {});
    await step;
  }

  #release(channel: HubChannel): void {
    channel.brokerStep = channel.brokerStep
      .then(async () => {
        if (channel.subscribers.length > 0) return;
        if (channel.fed) {
          channel.fed = false;
          await this.#broker.unsubscribe(channel.name);
        }
        this.#forget(channel);
      })
      .catch(() => {
        // The broker keeps or retries its own side; without subscribers the entry is of no use here.
        this.#forget(channel);
      });
  }

  /** A release may come twice; by the second time, the name may belong to a new entry. */
  #forget(channel: HubChannel): void {
    if (channel.subscribers.length > 0 || this.#channels.get(channel.name) !== channel) return;
    this.#channels.delete(channel.name);
  }
}
