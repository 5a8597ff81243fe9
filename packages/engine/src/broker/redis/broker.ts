import type { Clock } from '@msg/foundation/clock';
import type { ClientInfo, Payload } from '@msg/protocol';
import {
  decodeBrokerMessage,
  encodeJoinMessage,
  encodeLeaveMessage,
  encodePublicationMessage,
  encodePublicationRecord,
  encodeVolatileMessage,
} from '@msg/protocol/internal';
import type { PubSubKind, RedisStore, Subscriptions } from '@msg/redis';
import { newPublication } from '../../stream/publication.ts';
import type {
  Broker,
  BrokerEvents,
  HistoryFilter,
  HistoryResult,
  PublishOptions,
  PublishResult,
  StreamOptions,
} from '../contract.ts';
import { MergedReads } from '../merged-reads.ts';
import { RedisAppends } from './appends/redis-appends.ts';
import { ChannelKeyNames } from './keys.ts';
import { ListenedChannels } from './listened-channels.ts';
import type { RedisBrokerOptions } from './options.ts';
import { checkPartitions } from './partitions.ts';
import { RewoundStreams } from './rewound-streams.ts';
import { SingleFlight } from './single-flight.ts';
import { PEEK, StoredStreams } from './stored-streams.ts';

/** Connections that a start opens at the same time. */
const OPENED_AT_ONCE = 64;

/**
 * Streams in Redis, delivered through PUB/SUB (client protocol 16). One atomic step stores and delivers a publication,
 * and the publishing node receives it like every other node, so all nodes see one order. No command is repeated: after a
 * failure it is unknown whether Redis executed it.
 */
export class RedisBroker implements Broker {
  readonly #store: RedisStore;
  readonly #keys: ChannelKeyNames;
  readonly #kind: PubSubKind;
  readonly #clock: Clock;
  readonly #streams: StoredStreams;
  readonly appends: RedisAppends;
  readonly #listening: ListenedChannels;
  readonly #rewinds: RewoundStreams;
  readonly #onError: (error: unknown) => void;
  readonly #positions = new SingleFlight<HistoryResult>();
  readonly #reads: MergedReads;
  /** One without partitions, else one per partition; empty until the start. */
  #subscriptions: readonly Subscriptions[] = [];
  #events: BrokerEvents | null = null;

  /** @throws RangeError for more than MAX_PARTITIONS, and for partitions without a cluster. */
  constructor({ store, prefix, partitions = 0, clock, random, onError }: RedisBrokerOptions) {
    checkPartitions(partitions, store.cluster);
    this.#store = store;
    this.#keys = new ChannelKeyNames(prefix, { cluster: store.cluster, partitions });
    this.#kind = partitions > 0 ? 'sharded' : 'plain';
    this.#clock = clock;
    this.#reads = new MergedReads(clock);
    this.#streams = new StoredStreams(store, this.#keys, this.#kind, random);
    this.#onError = onError;
    this.#listening = new ListenedChannels({
      subscribe: async channel => {
        const subscriptions = this.#subscriptionsOf(channel);
        if (subscriptions === undefined) throw new Error('the broker is not started');
        await subscriptions.subscribe(this.#keys.messages(channel));
      },
      unsubscribe: channel => this.#subscriptionsOf(channel)?.unsubscribe(this.#keys.messages(channel)),
    });
    this.#rewinds = new RewoundStreams({
      ...{ streams: this.#streams, clock, random, onError },
      passOn: (channel, message) => this.appends.mirrors.publication(channel, message),
      rewound: channel => this.#events?.missed?.(channel),
    });
    this.appends = new RedisAppends({
      ...{ store, keys: this.#keys, kind: this.#kind, clock, random, onError },
      watch: channel => this.#listening.watch(channel),
      events: {
        appended: (channel, state) => this.#events?.appended(channel, state),
        ordinary: (channel, { publication, position: at, delta, previous, isVolatile }) =>
          this.#events?.publication(channel, publication, at ?? NO_POSITION, delta, previous, isVolatile),
        missed: channel => this.#events?.missed?.(channel),
        flushed: (channel, end) => this.#events?.flushed?.(channel, end),
      },
    });
  }

  /** False while a PUB/SUB connection is known to be down. */
  get delivering(): boolean {
    return this.#subscriptions.length > 0 && this.#subscriptions.every(({ up }) => up);
  }

  async start(events: BrokerEvents): Promise<void> {
    this.#events = events;
    this.#subscriptions = this.#keys.probes().map(probe => this.#subscriptionsBeside(probe, events));
    try {
      for (let at = 0; at < this.#subscriptions.length; at += OPENED_AT_ONCE)
        await Promise.all(
          this.#subscriptions.slice(at, at + OPENED_AT_ONCE).map(subscription => subscription.start()),
        );
    } catch (error) {
      await this.stop();
      throw error;
    }
    this.appends.start();
  }

  async stop(): Promise<void> {
    this.#events = null;
    this.appends.stop();
    this.#rewinds.stop();
    this.#listening.clear();
    for (const subscriptions of this.#subscriptions) subscriptions.close();
    this.#subscriptions = [];
  }

  subscribe(channel: string): Promise<void> {
    return this.#listening.deliver(channel);
  }

  async unsubscribe(channel: string): Promise<void> {
    this.#listening.stopDelivering(channel);
    this.appends.mirrors.drop(channel);
    this.#rewinds.forget(channel);
  }

  publish(
    channel: string,
    data: Payload,
    stream: StreamOptions,
    options: PublishOptions,
  ): Promise<PublishResult> {
    const publication = newPublication(data, 0, options, this.#clock.now());
    if (stream.size > 0 && stream.ttlMs > 0) {
      const record = encodePublicationRecord(publication);
      return this.#streams.append(channel, record, stream, options);
    }
    const message =
      options.volatile === true
        ? encodeVolatileMessage(publication)
        : encodePublicationMessage(publication, options.delta === true);
    if (options.idempotencyKey === undefined && (options.version ?? 0) === 0)
      return this.#streams.announce(channel, message).then(notKept);
    return this.#streams.announceUnlessKnown(channel, message, stream, options);
  }

  async publishJoin(channel: string, info: ClientInfo): Promise<void> {
    await this.#streams.announce(channel, encodeJoinMessage(info));
  }

  async publishLeave(channel: string, info: ClientInfo): Promise<void> {
    await this.#streams.announce(channel, encodeLeaveMessage(info));
  }

  history(channel: string, filter: HistoryFilter, metaTtlMs: number): Promise<HistoryResult> {
    const life = filter.peek === true ? PEEK : metaTtlMs;
    const stream = `${life} ${channel}`;
    if (filter.limit === 0) return this.#positions.run(stream, () => this.#read(channel, filter, life));
    return this.#reads.run(stream, filter, range => this.#read(channel, range, life));
  }

  /** Channels without append streams are read in one step; the first read of one with them takes two. */
  async #read(channel: string, filter: HistoryFilter, life: number | typeof PEEK): Promise<HistoryResult> {
    if (!this.appends.knows(channel)) {
      const result = await this.#streams.read(channel, filter, life);
      if (result !== null) return result;
      this.appends.note(channel);
    }
    return this.appends.read(channel, filter, life, this.#listening.delivers(channel));
  }

  removeHistory(channel: string): Promise<void> {
    return this.#streams.removeHistory(channel);
  }

  renewEpoch(channel: string, seen: string): Promise<void> {
    return this.#streams.renew(channel, seen);
  }

  async removeStream(channel: string): Promise<void> {
    await this.#streams.remove(channel);
  }

  #subscriptionsOf(channel: string): Subscriptions | undefined {
    return this.#subscriptions[this.#keys.partition(channel)];
  }

  #subscriptionsBeside(probe: string, events: BrokerEvents): Subscriptions {
    const handlers = {
      message: (channel: string, bytes: Buffer) => this.#received(channel, bytes),
      restored: (restored: Iterable<string>) => {
        const channels = Array.from(restored, messages => this.#keys.channelOf(messages));
        this.#lost(events, channels);
      },
    };
    return this.#store.subscriptions(probe, handlers, this.#kind);
  }

  /** Runs in the turn in which the bytes arrive: each channel has one connection, so the order of messages stays. */
  #received(messages: string, bytes: Uint8Array): void {
    const events = this.#events;
    if (events === null) return;
    const channel = this.#keys.channelOf(messages);
    try {
      this.#report(events, channel, bytes);
    } catch (cause) {
      this.#onError(new Error(`a message between nodes for ${channel} could not be read`, { cause }));
      this.#lost(events, [channel]); // what it said is in the store
    }
  }

  /** Messages of these channels may have been lost: copies, positions and those who wait are compared with the store. */
  #lost(events: BrokerEvents, channels: readonly string[]): void {
    this.appends.mirrors.doubt(channels);
    this.#rewinds.doubt(channels);
    events.restored?.(channels);
    for (const channel of channels) if (this.#listening.watches(channel)) events.appendChanged?.(channel);
  }

  #report(events: BrokerEvents, channel: string, bytes: Uint8Array): void {
    const message = decodeBrokerMessage(bytes);
    switch (message.kind) {
      case 'join':
        events.join(channel, message.info);
        break;
      case 'leave':
        events.leave(channel, message.info);
        break;
      case 'publication':
        if (this.appends.knows(channel)) this.appends.mirrors.publication(channel, message);
        else this.#rewinds.arrived(channel, message);
        break;
      case 'state':
        if (this.#listening.delivers(channel)) this.appends.mirrors.state(channel, message);
        // Also when there is not yet, or no more, a copy of the message here.
        if (message.ended) events.appendChanged?.(channel);
        break;
      case 'changed':
        events.appendChanged?.(channel);
    }
  }
}

const NO_POSITION = { offset: 0, epoch: '' };
const notKept = (): PublishResult => ({ ...NO_POSITION, suppressed: false });
