import type { MaybePromise } from '@msg/foundation/promises';
import type { ClientInfo, Payload, Publication } from '@msg/protocol';

/** Client protocol 10.1: longer than the items live, so that positions stay comparable. */
export const DEFAULT_META_TTL_MS = 30 * 24 * 3600 * 1000;
export const DEFAULT_IDEMPOTENCY_TTL_MS = 300_000;

/** A position in a channel's stream. Offsets start at 1; 0 is before the first publication. */
export interface StreamPosition {
  readonly offset: number;
  readonly epoch: string;
}

/** What a channel's stream keeps. With `size` 0 or `ttlMs` 0 it keeps nothing, and publications carry no offset. */
export interface StreamOptions {
  /** Publications retained. */
  readonly size: number;
  /** How long retained publications live after the newest publish, milliseconds. */
  readonly ttlMs: number;
  /** How long offset and epoch outlive everything else, milliseconds; default 30 days. */
  readonly metaTtlMs?: number;
}

/** What a publication carries besides its payload. */
export interface PublishOptions {
  /** Overrides the channel's own stream options for this publish. */
  readonly stream?: StreamOptions;
  readonly tags?: ReadonlyMap<string, string>;
  /** Publisher, for client publishes. */
  readonly info?: ClientInfo;
  /** A second publish with this key within `idempotencyTtlMs` publishes nothing and returns the position of the first. */
  readonly idempotencyKey?: string;
  /** How long the broker remembers the key, milliseconds; default 300 000. */
  readonly idempotencyTtlMs?: number;
  /** A publish whose version is not newer than the stored one is suppressed, with or without history. 0: unversioned. */
  readonly version?: number;
  readonly versionEpoch?: string;
  /** Subscribers that negotiated delta may get a patch. */
  readonly delta?: boolean;
  /**
   * The stream does not keep it, whatever `stream` says, and a subscriber with more than `volatileQueueBytes` queued does
   * not get it.
   */
  readonly volatile?: boolean;
}

/** The position of a publication in its stream. */
export interface PublishResult extends StreamPosition {
  /** Nothing was published: a repeated idempotency key or a stale version. */
  readonly suppressed: boolean;
}

/** The part of a stream that a read returns. */
export interface HistoryFilter {
  readonly since?: StreamPosition;
  /** 0: only the position; negative: everything. */
  readonly limit: number;
  readonly reverse?: boolean;
}

/** The publications that a read of a stream found, and the top of the stream. */
export interface HistoryResult extends StreamPosition {
  readonly publications: readonly Publication[];
}

/** The events that a broker reports to its node; those of one channel come in the order of offsets. */
export interface BrokerEvents {
  /**
   * `previous` is the publication at offset − 1 when the publish permits deltas and it is retained. `isVolatile`:
   * subscribers with more than `volatileQueueBytes` queued do not get it.
   */
  publication(
    channel: string,
    publication: Publication,
    position: StreamPosition,
    delta: boolean,
    previous: Publication | null,
    isVolatile: boolean,
  ): void;
  join(channel: string, info: ClientInfo): void;
  leave(channel: string, info: ClientInfo): void;
  /** Messages of these channels, or of all channels, may have been lost unnoticed; from now on none are. */
  restored?(channels?: Iterable<string>): void;
}

/**
 * Streams and fan-out between nodes. Contract tests: `@msg/engine/testing`.
 */
export interface Broker {
  start(events: BrokerEvents): Promise<void>;
  stop(): Promise<void>;
  /**
   * Subscribes the node to a channel that gets its first local subscriber; resolves once publications are certain to
   * arrive.
   */
  subscribe(channel: string): Promise<void>;
  unsubscribe(channel: string): Promise<void>;
  /** Returns, or throws, without a promise where the broker does not wait. */
  publish(
    channel: string,
    data: Payload,
    stream: StreamOptions,
    options: PublishOptions,
  ): MaybePromise<PublishResult>;
  publishJoin(channel: string, info: ClientInfo): Promise<void>;
  publishLeave(channel: string, info: ClientInfo): Promise<void>;
  /** Reading an absent stream creates it (offset 0, new epoch). */
  history(channel: string, filter: HistoryFilter, metaTtlMs: number): Promise<HistoryResult>;
  /** Drops retained publications; offset and epoch stay. */
  removeHistory(channel: string): Promise<void>;
  /** Drops the stream with its offset and epoch: the next use starts a new epoch. */
  removeStream(channel: string): Promise<void>;
}
