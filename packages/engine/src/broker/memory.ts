import type { Clock, Random } from '@msg/foundation/clock';
import type { MaybePromise } from '@msg/foundation/promises';
import type { ClientInfo, Payload } from '@msg/protocol';
import type { AppendStore } from '../append/contract.ts';
import { DEFAULT_LIMITS } from '../limits.ts';
import { type CompactedStream, readOf } from '../stream/compacted-stream.ts';
import { newEpoch } from '../stream/epoch.ts';
import { newPublication } from '../stream/publication.ts';
import { Stream } from '../stream/stream.ts';
import type { TimerWheel } from '../timers/timer-wheel.ts';
import type {
  Broker,
  BrokerEvents,
  HistoryFilter,
  HistoryResult,
  PublishOptions,
  PublishResult,
  StreamOptions,
} from './contract.ts';
import { DEFAULT_IDEMPOTENCY_TTL_MS, DEFAULT_META_TTL_MS } from './contract.ts';
import { MemoryAppends } from './memory-appends.ts';
import { ChannelRecord, isStale, type MemoryRecords } from './memory-record.ts';
import { OpenMessages } from './open-messages.ts';

/**
 * Streams in this process. A publish assigns the offset, appends and delivers in one synchronous step, so the order of
 * delivery is the order of offsets.
 */
export class MemoryBroker implements Broker {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #wheel: TimerWheel;
  readonly #records = new Map<string, ChannelRecord>();
  readonly #messages: OpenMessages;
  readonly ownsStreams = true;
  readonly appends: AppendStore;
  #events: BrokerEvents | null = null;

  /** @param options `appendStreams`: messages that may be open at the same time, default as the limits of a node */
  constructor(options: { clock: Clock; random: Random; wheel: TimerWheel; appendStreams?: number }) {
    this.#clock = options.clock;
    this.#random = options.random;
    this.#wheel = options.wheel;
    const port = this.#port();
    this.#messages = new OpenMessages(port, options.appendStreams ?? DEFAULT_LIMITS.appendStreams);
    this.appends = new MemoryAppends(port, this.#messages);
  }

  /** Messages of append streams that are open. */
  get openMessageCount(): number {
    return this.#messages.count;
  }

  /** Channels with a record. */
  get channelCount(): number {
    return this.#records.size;
  }

  async start(events: BrokerEvents): Promise<void> {
    this.#events = events;
  }

  async stop(): Promise<void> {
    this.#events = null;
    for (const record of this.#records.values()) {
      this.#wheel.cancel(record.timer);
      this.#messages.forget(record);
    }
    this.#records.clear();
  }

  async subscribe(): Promise<void> {}

  async unsubscribe(): Promise<void> {}

  publish(
    channel: string,
    data: Payload,
    streamOptions: StreamOptions,
    options: PublishOptions,
  ): MaybePromise<PublishResult> {
    const { idempotencyKey } = options;
    if (idempotencyKey !== undefined) {
      const remembered = this.#records.get(channel)?.results?.get(idempotencyKey);
      if (remembered !== undefined && remembered.expiresAt > this.#clock.monotonic()) {
        return { ...remembered.result, suppressed: true };
      }
    }
    const result =
      streamOptions.size > 0 && streamOptions.ttlMs > 0
        ? this.#append(channel, data, streamOptions, options)
        : this.#deliver(channel, data, streamOptions, options);
    if (idempotencyKey !== undefined && !result.suppressed) {
      const now = this.#clock.monotonic();
      const record = this.#record(channel, now);
      const expiresAt = now + (options.idempotencyTtlMs ?? DEFAULT_IDEMPOTENCY_TTL_MS);
      record.results ??= new Map();
      record.results.set(idempotencyKey, { result, expiresAt });
      this.#arm(record, expiresAt);
    }
    return result;
  }

  async publishJoin(channel: string, info: ClientInfo): Promise<void> {
    this.#events?.join(channel, info);
  }

  async publishLeave(channel: string, info: ClientInfo): Promise<void> {
    this.#events?.leave(channel, info);
  }

  async history(channel: string, filter: HistoryFilter, metaTtlMs: number): Promise<HistoryResult> {
    const now = this.#clock.monotonic();
    if (filter.peek === true) return this.#peek(channel, filter, now);
    const record = this.#record(channel, now);
    const stream = this.#stream(record, metaTtlMs, now);
    this.#messages.endDue(channel, record, now);
    return readOf(stream, filter);
  }

  #peek(channel: string, filter: HistoryFilter, now: number): HistoryResult {
    const record = this.#records.get(channel);
    record?.expireStream(now);
    const stream = record?.stream;
    if (stream === undefined || stream === null) return { publications: [], offset: 0, epoch: '' };
    return readOf(stream, filter);
  }

  async removeHistory(channel: string): Promise<void> {
    this.#records.get(channel)?.stream?.clear();
  }

  async renewEpoch(channel: string, seen: string): Promise<void> {
    const stream = this.#existing(channel, this.#clock.monotonic())?.stream;
    if (stream?.epoch === seen) stream.epoch = newEpoch(this.#random);
  }

  async removeStream(channel: string): Promise<void> {
    const record = this.#records.get(channel);
    if (record === undefined) return;
    this.#wheel.cancel(record.timer);
    this.#messages.forget(record);
    this.#records.delete(channel);
  }

  #deliver(
    channel: string,
    data: Payload,
    streamOptions: StreamOptions,
    options: PublishOptions,
  ): PublishResult {
    const position = { offset: 0, epoch: '' };
    if ((options.version ?? 0) > 0 && this.#isStaleWithoutHistory(channel, streamOptions, options)) {
      return { ...position, suppressed: true };
    }
    const publication = newPublication(data, 0, options, this.#clock.now());
    const isVolatile = options.volatile === true;
    this.#events?.publication(channel, publication, position, options.delta === true, null, isVolatile);
    return { ...position, suppressed: false };
  }

  #isStaleWithoutHistory(channel: string, streamOptions: StreamOptions, options: PublishOptions): boolean {
    const now = this.#clock.monotonic();
    const record = this.#record(channel, now);
    this.#prolong(record, streamOptions.metaTtlMs ?? DEFAULT_META_TTL_MS, now);
    return isStale(record, options);
  }

  #append(
    channel: string,
    data: Payload,
    streamOptions: StreamOptions,
    options: PublishOptions,
  ): PublishResult {
    const now = this.#clock.monotonic();
    const record = this.#record(channel, now);
    const stream = this.#stream(record, streamOptions.metaTtlMs ?? DEFAULT_META_TTL_MS, now);
    const { epoch } = stream;
    if (isStale(record, options)) return { offset: stream.top, epoch, suppressed: true };
    const previous = options.delta === true ? stream.base() : null;
    const publication = newPublication(data, stream.top + 1, options, this.#clock.now());
    stream.append(publication, streamOptions.size);
    record.itemsExpireAt = now + streamOptions.ttlMs;
    this.#arm(record, record.itemsExpireAt);
    const position = { offset: stream.top, epoch };
    this.#events?.publication(channel, publication, position, options.delta === true, previous, false);
    return { ...position, suppressed: false };
  }

  #existing(channel: string, now: number): ChannelRecord | undefined {
    const record = this.#records.get(channel);
    record?.expireStream(now);
    return record;
  }

  /** The channel's record, created when absent, without what has expired in its stream. */
  #record(channel: string, now: number): ChannelRecord {
    const existing = this.#existing(channel, now);
    if (existing !== undefined) return existing;
    const record = new ChannelRecord(() => this.#timerFired(channel));
    this.#records.set(channel, record);
    return record;
  }

  /** The record's stream, created when absent; every use prolongs its life. */
  #stream(record: ChannelRecord, metaTtlMs: number, now: number): Stream | CompactedStream {
    record.stream ??= new Stream(newEpoch(this.#random));
    this.#prolong(record, metaTtlMs, now);
    return record.stream;
  }

  #prolong(record: ChannelRecord, metaTtlMs: number, now: number): void {
    record.metaExpireAt = now + metaTtlMs;
    this.#arm(record, record.metaExpireAt);
  }

  #timerFired(channel: string): void {
    const record = this.#records.get(channel);
    if (record === undefined) return;
    const now = this.#clock.monotonic();
    this.#messages.endDue(channel, record, now);
    record.expireStream(now);
    record.expireResults(now);
    const next = record.nextExpiry();
    if (next === null) this.#records.delete(channel);
    else this.#arm(record, next);
  }

  /** Sets the record's timer to fire at that moment or earlier; a timer that fires too early is set again. */
  #arm(record: ChannelRecord, at: number): void {
    if (record.timer.scheduled && record.timer.due <= at) return;
    this.#wheel.schedule(record.timer, at - this.#clock.monotonic());
  }

  #port(): MemoryRecords {
    const events = (): BrokerEvents | null => this.#events;
    return {
      clock: this.#clock,
      get events() {
        return events();
      },
      existing: (channel, now) => this.#existing(channel, now),
      create: (channel, now) => this.#record(channel, now),
      stream: (record, metaTtlMs, now) => this.#stream(record, metaTtlMs, now),
      arm: (record, at) => this.#arm(record, at),
    };
  }
}
