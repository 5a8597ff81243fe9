import type { ClientInfo, Payload } from '@msg/protocol';
import {
  type BrokerMessage,
  decodeBrokerMessage,
  decodePublicationRecord,
  encodeJoinMessage,
  encodeLeaveMessage,
  encodePublicationMessage,
  encodePublicationRecord,
} from '@msg/protocol/storage';
import { lua, type RedisStore, type Subscriptions } from '@msg/redis';
import type { Clock } from '../../clock/clock.ts';
import type { Random } from '../../clock/random.ts';
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
import { ChannelKeys } from './keys.ts';
import { SingleFlight } from './single-flight.ts';

const PUBLISH = lua('./publish.lua', import.meta.url);
const PUBLISH_ONCE = lua('./publish-once.lua', import.meta.url);
const HISTORY = lua('./history.lua', import.meta.url);

export interface RedisBrokerOptions {
  readonly store: RedisStore;
  /** Begins every key and PUB/SUB channel, `msg:b:1` for instance. */
  readonly prefix: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Told of messages that nobody can read. */
  readonly onError: (error: unknown) => void;
}

/**
 * Streams in Redis, handed on through PUB/SUB (client protocol 16). A publication is stored and handed on in one
 * atomic step, and the publishing node hears of it like every other, so there is one order for all. Nothing is sent
 * twice: after a failure nobody knows whether it was carried out.
 */
export class RedisBroker implements Broker {
  readonly #store: RedisStore;
  readonly #keys: ChannelKeys;
  readonly #probeChannel: string;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #onError: (error: unknown) => void;
  readonly #reads = new SingleFlight<HistoryResult>();
  #subscriptions: Subscriptions | null = null;
  #events: BrokerEvents | null = null;

  constructor({ store, prefix, clock, random, onError }: RedisBrokerOptions) {
    this.#store = store;
    this.#keys = new ChannelKeys(prefix, store.cluster);
    this.#probeChannel = `${prefix}.shard.0`;
    this.#clock = clock;
    this.#random = random;
    this.#onError = onError;
  }

  /** Publications arrive, as far as known. */
  get delivering(): boolean {
    return this.#subscriptions?.up === true;
  }

  async start(events: BrokerEvents): Promise<void> {
    this.#events = events;
    this.#subscriptions = this.#store.subscriptions(this.#probeChannel, {
      message: (channel, bytes) => this.#received(channel, bytes),
      restored: () => events.restored?.(),
    });
    await this.#subscriptions.start();
  }

  async stop(): Promise<void> {
    this.#events = null;
    this.#subscriptions?.close();
    this.#subscriptions = null;
  }

  async subscribe(channel: string): Promise<void> {
    if (this.#subscriptions === null) throw new Error('the broker is not started');
    await this.#subscriptions.subscribe(this.#keys.messages(channel));
  }

  async unsubscribe(channel: string): Promise<void> {
    this.#subscriptions?.unsubscribe(this.#keys.messages(channel));
  }

  async publish(
    channel: string,
    data: Payload,
    stream: StreamOptions,
    options: PublishOptions,
  ): Promise<PublishResult> {
    const publication = newPublication(data, 0, { ...options, delta: false }, this.#clock.now());
    if (stream.size > 0 && stream.ttlMs > 0) {
      const record = encodePublicationRecord(publication);
      return this.#append(channel, record, stream, options);
    }
    const message = encodePublicationMessage(publication, options.delta === true);
    const { idempotencyKey, idempotencyTtlMs = DEFAULT_IDEMPOTENCY_TTL_MS } = options;
    if (idempotencyKey === undefined) {
      await this.#announce(channel, message);
      return { offset: 0, epoch: '', suppressed: false };
    }
    const keys = [this.#keys.result(channel, idempotencyKey)];
    const args = [message, this.#keys.messages(channel), idempotencyTtlMs];
    return publishResult(await this.#store.run(PUBLISH_ONCE, keys, args));
  }

  async publishJoin(channel: string, info: ClientInfo): Promise<void> {
    await this.#announce(channel, encodeJoinMessage(info));
  }

  async publishLeave(channel: string, info: ClientInfo): Promise<void> {
    await this.#announce(channel, encodeLeaveMessage(info));
  }

  history(channel: string, filter: HistoryFilter, metaTtlMs: number): Promise<HistoryResult> {
    const { limit, reverse = false, since } = filter;
    const request = JSON.stringify([channel, limit, reverse, since?.offset, metaTtlMs]);
    return this.#reads.run(request, () => this.#read(channel, filter, metaTtlMs));
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
    ];
    return publishResult(await this.#store.run(PUBLISH, keys, args));
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
    await this.#store.publish(this.#keys.messages(channel), message);
  }

  /** Runs in the turn in which the bytes arrive: one connection, one order, and nothing waits in between. */
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
      const { publication, position, delta, previous } = message;
      events.publication(channel, publication, position ?? NO_POSITION, delta, previous);
    }
  }
}

type HistoryReply = readonly [
  top: Buffer,
  epoch: Buffer,
  entries: readonly (readonly [id: Buffer, fields: readonly [name: Buffer, record: Buffer]])[],
];

const NO_POSITION = { offset: 0, epoch: '' };
const POSITION_ONLY = ['', '', '', ''] as const;

/** Command, bounds and count of a read; the newest first when reversed. */
function rangeOf({ limit, reverse = false, since }: HistoryFilter): readonly (string | number)[] {
  if (limit === 0) return POSITION_ONLY;
  const count = Math.max(limit, -1);
  if (!reverse) return ['XRANGE', since === undefined ? '-' : since.offset + 1, '+', count];
  if (since === undefined) return ['XREVRANGE', '+', '-', count];
  return since.offset <= 1 ? POSITION_ONLY : ['XREVRANGE', since.offset - 1, '-', count];
}

function publishResult(reply: unknown): PublishResult {
  const [offset, epoch, repeated, stale] = (reply as readonly Buffer[]).map(String);
  return {
    offset: Number(offset),
    epoch: epoch ?? '',
    suppressed: repeated === '1' || stale === '1',
  };
}
