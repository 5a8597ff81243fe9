import type { Random } from '@msg/foundation/clock';
import { decodePublicationRecord } from '@msg/protocol/internal';
import { lua, type PubSubKind, type RedisStore } from '@msg/redis';
import { newEpoch } from '../../stream/epoch.ts';
import {
  DEFAULT_IDEMPOTENCY_TTL_MS,
  DEFAULT_META_TTL_MS,
  type HistoryFilter,
  type HistoryResult,
  type PublishOptions,
  type PublishResult,
  type StreamOptions,
} from '../contract.ts';
import { rangeOf } from './history-range.ts';
import type { ChannelKeyNames } from './keys.ts';

const PUBLISH = lua('./publish.lua', import.meta.url);
const PUBLISH_ONCE = lua('./publish-once.lua', import.meta.url);
const RENEW = lua('./renew.lua', import.meta.url);
const HISTORY = lua('./history.lua', import.meta.url);
/** In place of the life of offset and epoch: a read that creates and prolongs nothing. */
export const PEEK = '';

const PUBLISH_COMMAND = { plain: 'PUBLISH', sharded: 'SPUBLISH' } as const;

/**
 * The streams of channels in Redis: one atomic step each. No command is repeated: after a failure it is unknown whether
 * Redis executed it.
 */
export class StoredStreams {
  readonly #store: RedisStore;
  readonly #keys: ChannelKeyNames;
  readonly #kind: PubSubKind;
  readonly #random: Random;

  constructor(store: RedisStore, keys: ChannelKeyNames, kind: PubSubKind, random: Random) {
    this.#store = store;
    this.#keys = keys;
    this.#kind = kind;
    this.#random = random;
  }

  /** Stores a record and delivers it. */
  append(
    channel: string,
    record: Uint8Array,
    { size, ttlMs, metaTtlMs = DEFAULT_META_TTL_MS, append }: StreamOptions,
    options: PublishOptions,
  ): Promise<PublishResult> {
    const { idempotencyKey, idempotencyTtlMs = DEFAULT_IDEMPOTENCY_TTL_MS } = options;
    const keys = [
      this.#keys.stream(channel),
      this.#keys.meta(channel),
      this.#keys.result(channel, idempotencyKey ?? ''),
    ];
    if (append !== undefined) keys.push(this.#keys.appends(channel)[0]);
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
    return this.#store.run(PUBLISH, keys, args).then(publishResult);
  }

  /** Delivers a message without storing it, unless its idempotency key or version is known. */
  announceUnlessKnown(
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
    return this.#store.run(PUBLISH_ONCE, keys, args).then(publishResult);
  }

  /** Delivers a message without storing it. */
  async announce(channel: string, message: Uint8Array): Promise<void> {
    await this.#store.publish(this.#keys.messages(channel), message, this.#kind);
  }

  /**
   * Reads a part of a stream; an absent stream is created, unless `metaTtlMs` is {@link PEEK}. Null: the channel has, or had,
   * append streams.
   */
  async read(
    channel: string,
    filter: HistoryFilter,
    metaTtlMs: number | typeof PEEK,
  ): Promise<HistoryResult | null> {
    const keys = [this.#keys.stream(channel), this.#keys.meta(channel)];
    const args = [newEpoch(this.#random), metaTtlMs, ...rangeOf(filter)];
    const answer =
      filter.limit === 0
        ? await this.#store.run(HISTORY, keys, args)
        : await this.#store.runLarge(HISTORY, keys, args);
    const [top, epoch, entries] = answer as HistoryReply;
    if (top === undefined) return null;
    const publications = entries.map(([id, [, record]]) =>
      decodePublicationRecord(record, Number.parseInt(id.toString('latin1'), 10)),
    );
    return { publications, offset: Number(top.toString('latin1')), epoch: epoch.toString() };
  }

  /** Gives a stream a new epoch if it still has the one that was seen; its offsets go on. */
  async renew(channel: string, seen: string): Promise<void> {
    await this.#store.run(RENEW, [this.#keys.meta(channel)], [seen, newEpoch(this.#random)]);
  }

  /** Removes the publications; offset and epoch stay. */
  async removeHistory(channel: string): Promise<void> {
    await this.#store.call('DEL', this.#keys.stream(channel));
  }

  /** Removes the stream: its next use starts a new epoch. */
  async remove(channel: string): Promise<void> {
    const [body, , , early] = this.#keys.appends(channel);
    await this.#store.call('DEL', this.#keys.stream(channel), this.#keys.meta(channel), body, early);
  }
}

type HistoryReply = readonly [
  top: Buffer | undefined,
  epoch: Buffer,
  entries: readonly (readonly [id: Buffer, fields: readonly [name: Buffer, record: Buffer]])[],
];

/** Of a publication that was not suppressed there are offset and epoch alone. */
function publishResult(reply: unknown): PublishResult {
  const [offset, epoch, repeated, stale] = reply as readonly (Buffer | number | undefined)[];
  return {
    offset: typeof offset === 'number' ? offset : Number(String(offset)),
    epoch: String(epoch),
    suppressed: repeated !== undefined && (String(repeated) === '1' || String(stale) === '1'),
  };
}
