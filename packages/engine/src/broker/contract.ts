import type { MaybePromise } from '@msg/foundation/promises';
import type { ClientInfo, Payload, Publication } from '@msg/protocol';

/** Client protocol 10.1: must exceed the life of the items, so that positions stay comparable. */
export const DEFAULT_META_TTL_MS = 30 * 24 * 3600 * 1000;
export const DEFAULT_IDEMPOTENCY_TTL_MS = 300_000;

/** A place in a channel's stream. Offsets start at 1; 0 is "before the first". */
export interface StreamPosition {
  readonly offset: number;
  readonly epoch: string;
}

/** What a channel's stream keeps. `size` 0 or `ttlMs` 0: nothing, and publications carry no offset. */
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
  /** A repeat within the window publishes nothing and answers the first position. */
  readonly idempotencyKey?: string;
  /** Default 300 000. */
  readonly idempotencyTtlMs?: number;
  /** A publish whose version is not newer than the stored one is suppressed, with or without history. 0: unversioned. */
  readonly version?: number;
  readonly versionEpoch?: string;
  /** Receivers that negotiated delta may get a patch. */
  readonly delta?: boolean;
  /** Not kept, whatever `stream` says, and not delivered to a subscriber with much waiting (`volatileQueueBytes`). */
  readonly volatile?: boolean;
}

/** Where a publication stands in its stream. */
export interface PublishResult extends StreamPosition {
  /** Nothing was published: a repeated idempotency key or a stale version. */
  readonly suppressed: boolean;
}

/** Which part of a stream a read wants. */
export interface HistoryFilter {
  readonly since?: StreamPosition;
  /** 0: only the position; negative: everything. */
  readonly limit: number;
  readonly reverse?: boolean;
}

/** What a read of a stream found, and where the stream ends. */
export interface HistoryResult extends StreamPosition {
  readonly publications: readonly Publication[];
}

/** What a broker hands back to its node; calls for one channel come in offset order. */
export interface BrokerEvents {
  /**
   * `previous` is the publication at offset − 1 when the publish permits deltas and it is retained. `isVolatile`:
   * subscribers with much waiting do not get it.
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
  /** Messages of these channels, or of all, may have been lost without a trace; from now on none are. */
  restored?(channels?: Iterable<string>): void;
}

/**
 * Streams and fan-out between nodes. Contract tests: `@msg/engine/testing`.
 */
export interface Broker {
  start(events: BrokerEvents): Promise<void>;
  stop(): Promise<void>;
  /** The node has its first local subscriber: resolves once publications are certain to arrive. */
  subscribe(channel: string): Promise<void>;
  unsubscribe(channel: string): Promise<void>;
  /** Answers, or throws, at once where nothing is waited for. */
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
