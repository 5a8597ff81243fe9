import type { Clock, Random } from '@msg/foundation/clock';
import type { ClientInfo, Payload } from '@msg/protocol';
import {
  type BrokerMessage,
  decodeBrokerMessage,
  decodePublicationRecord,
  encodeJoinMessage,
  encodeLeaveMessage,
  encodePublicationMessage,
  encodePublicationRecord,
  encodeVolatileMessage,
} from '@msg/protocol/internal';
import { lua, type PubSubKind, type RedisStore, type Subscriptions } from '@msg/redis';
import { newEpoch } from '../../stream/epoch.ts';
import { newPublication } from '../../stream/publication.ts';
import {
  type Broker,
  type BrokerEvents,
  DEFAULT_IDEMPOTENCY_TTL_MS,
  DEFAULT_META_TTL_MS,
  type HistoryFilter,
  type HistoryResult,
  type PublishOptions,
  type PublishResult,
  type StreamOptions,
} from '../contract.ts';
import { rangeOf } from './history-range.ts';
import { ChannelKeyNames } from './keys.ts';
import { MergedReads } from './merged-reads.ts';
import { checkPartitions } from './partitions.ts';
import { SingleFlight } from './single-flight.ts';

const PUBLISH = lua('./publish.lua', import.meta.url);
const PUBLISH_ONCE = lua('./publish-once.lua', import.meta.url);
const HISTORY = lua('./history.lua', import.meta.url);

/** Connections that a start opens at the same time. */
const OPENED_AT_ONCE = 64;
const PUBLISH_COMMAND = { plain: 'PUBLISH', sharded: 'SPUBLISH' } as const;

/** Options of a broker on Redis. */
export interface RedisBrokerOptions {
  readonly store: RedisStore;
  /** Prefix of every key and PUB/SUB channel, such as `msg:b:1`. */
  readonly prefix: string;
  /** Partitions of sharded PUB/SUB, on a cluster; default 0, off. */
  readonly partitions?: number;
  readonly clock: Clock;
  readonly random: Random;
  /** Called for each message that cannot be decoded. */
  readonly onError: (error: unknown) => void;
}

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
  readonly #random: Random;
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
    this.#random = random;
    this.#onError = onError;
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
  }

  async stop(): Promise<void> {
    this.#events = null;
    for (const subscriptions of this.#subscriptions) subscriptions.close();
    this.#subscriptions = [];
  }

  async subscribe(channel: string): Promise<void> {
    const subscriptions = this.#subscriptions[this.#keys.partition(channel)];
    if (subscriptions === undefined) throw new Error('the broker is not started');
    await subscriptions.subscribe(this.#keys.messages(channel));
  }

  async unsubscribe(channel: string): Promise<void> {
    this.#subscriptions[this.#keys.partition(channel)]?.unsubscribe(this.#keys.messages(channel));
  }

  async publish(
    channel: string,
    data: Payload,
    stream: StreamOptions,
    options: PublishOptions,
  ): Promise<PublishResult> {
    const publication = newPublication(data, 0, options, this.#clock.now());
    if (stream.size > 0 && stream.ttlMs > 0) {
      const record = encodePublicationRecord(publication);
      return this.#append(channel, record, stream, options);
    }
    const message =
      options.volatile === true
        ? encodeVolatileMessage(publication)
        : encodePublicationMessage(publication, options.delta === true);
    if (options.idempotencyKey === undefined && (options.version ?? 0) === 0) {
      await this.#announce(channel, message);
      return { offset: 0, epoch: '', suppressed: false };
    }
    return this.#announceUnlessKnown(channel, message, stream, options);
  }

  async publishJoin(channel: string, info: ClientInfo): Promise<void> {
    await this.#announce(channel, encodeJoinMessage(info));
  }

  async publishLeave(channel: string, info: ClientInfo): Promise<void> {
    await this.#announce(channel, encodeLeaveMessage(info));
  }

  history(channel: string, filter: HistoryFilter, metaTtlMs: number): Promise<HistoryResult> {
    const stream = `${metaTtlMs} ${channel}`;
    if (filter.limit === 0) {
      return this.#positions.run(stream, () => this.#read(channel, filter, metaTtlMs));
    }
    return this.#reads.run(stream, filter, range => this.#read(channel, range, metaTtlMs));
  }

  async removeHistory(channel: string): Promise<void> {
    await this.#store.call('DEL', this.#keys.stream(channel));
  }

  async removeStream(channel: string): Promise<void> {
    await this.#store.call('DEL', this.#keys.stream(channel), this.#keys.meta(channel));
  }

  async #append(
    channel: string,
    record: Uint8Array,
    { size, ttlMs, metaTtlMs = DEFAULT_META_TTL_MS }: StreamOptions,
    options: PublishOptions,
  ): Promise<PublishResult> {
    const { idempotencyKey, idempotencyTtlMs = DEFAULT_IDEMPOTENCY_TTL_MS } = options;
    const keys = [
      this.#keys.stream(channel),
      this.#keys.meta(channel),
      this.#keys.result(channel, idempotencyKey ?? ''),
    ];
    const args = [
      record,
      size,
      ttlMs,
      this.#keys.messages(channel),
      metaTtlMs,
      newEpoch(this.#random),
      idempotencyKey === undefined ? '' : idempotencyTtlMs,
      options.delta === true ? '1' : '',
      String(options.version ?? 0),
      options.versionEpoch ?? '',
      PUBLISH_COMMAND[this.#kind],
    ];
    return publishResult(await this.#store.run(PUBLISH, keys, args));
  }

  async #announceUnlessKnown(
    channel: string,
    message: Uint8Array,
    { metaTtlMs = DEFAULT_META_TTL_MS }: StreamOptions,
    options: PublishOptions,
  ): Promise<PublishResult> {
    const { idempotencyKey, idempotencyTtlMs = DEFAULT_IDEMPOTENCY_TTL_MS } = options;
    const keys = [this.#keys.result(channel, idempotencyKey ?? ''), this.#keys.meta(channel)];
    const args = [
      message,
      this.#keys.messages(channel),
      idempotencyKey === undefined ? '' : idempotencyTtlMs,
      PUBLISH_COMMAND[this.#kind],
      String(options.version ?? 0),
      options.versionEpoch ?? '',
      metaTtlMs,
    ];
    return publishResult(await this.#store.run(PUBLISH_ONCE, keys, args));
  }

  async #read(channel: string, filter: HistoryFilter, metaTtlMs: number): Promise<HistoryResult> {
    const keys = [this.#keys.stream(channel), this.#keys.meta(channel)];
    const args = [newEpoch(this.#random), metaTtlMs, ...rangeOf(filter)];
    const [top, epoch, entries] = (await this.#store.run(HISTORY, keys, args)) as HistoryReply;
    const publications = entries.map(([id, [, record]]) =>
      decodePublicationRecord(record, Number.parseInt(id.toString('latin1'), 10)),
    );
    return { publications, offset: Number(top.toString('latin1')), epoch: epoch.toString() };
  }

  async #announce(channel: string, message: Uint8Array): Promise<void> {
    await this.#store.publish(this.#keys.messages(channel), message, this.#kind);
  }

  #subscriptionsBeside(probe: string, events: BrokerEvents): Subscriptions {
    const handlers = {
      message: (channel: string, bytes: Buffer) => this.#received(channel, bytes),
      restored: (channels: Iterable<string>) =>
        events.restored?.(Array.from(channels, messages => this.#keys.channelOf(messages))),
    };
    return this.#store.subscriptions(probe, handlers, this.#kind);
  }

  /** Runs in the turn in which the bytes arrive: each channel has one connection, so the order of messages stays. */
  #received(messages: string, bytes: Uint8Array): void {
    const events = this.#events;
    if (events === null) return;
    try {
      handOn(events, this.#keys.channelOf(messages), decodeBrokerMessage(bytes));
    } catch (error) {
      this.#onError(error);
    }
  }
}

function handOn(events: BrokerEvents, channel: string, message: BrokerMessage): void {
  switch (message.kind) {
    case 'join':
      events.join(channel, message.info);
      break;
    case 'leave':
      events.leave(channel, message.info);
      break;
    case 'publication': {
      const { publication, position, delta, previous, isVolatile } = message;
      events.publication(channel, publication, position ?? NO_POSITION, delta, previous, isVolatile);
    }
  }
}

type HistoryReply = readonly [
  top: Buffer,
  epoch: Buffer,
  entries: readonly (readonly [id: Buffer, fields: readonly [name: Buffer, record: Buffer]])[],
];

const NO_POSITION = { offset: 0, epoch: '' };

function publishResult(reply: unknown): PublishResult {
  const [offset, epoch, repeated, stale] = (reply as readonly Buffer[]).map(String);
  return {
    offset: Number(offset),
    epoch: epoch ?? '',
    suppressed: repeated === '1' || stale === '1',
  };
}
