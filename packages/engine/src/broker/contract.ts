import type { MaybePromise } from '@msg/foundation/promises';
import type { ClientInfo, Payload, Publication } from '@msg/protocol';
import type { AppendEnd, AppendedState, AppendStore } from '../append/contract.ts';
import type {
  HistoryFilter,
  HistoryResult,
  PublishOptions,
  StreamOptions,
  StreamPosition,
} from '../stream/contract.ts';

export type { HistoryFilter, HistoryResult, PublishOptions, StreamOptions, StreamPosition };

/** Client protocol 10.1: longer than the items live, so that positions stay comparable. */
export const DEFAULT_META_TTL_MS = 30 * 24 * 3600 * 1000;
export const DEFAULT_IDEMPOTENCY_TTL_MS = 300_000;

/** The position of a publication in its stream. */
export interface PublishResult extends StreamPosition {
  /** Nothing was published: a repeated idempotency key or a stale version. */
  readonly suppressed: boolean;
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
  /** A state of an append stream, in the same order as the publications of its channel. */
  appended(channel: string, state: AppendedState): void;
  /** This node stored a state of an append stream, also without subscribers; null: its message is still open. */
  flushed?(channel: string, end: AppendEnd | null): void;
  /** The message of a channel that this node watches was cancelled, or has ended. */
  appendChanged?(channel: string): void;
  /** States of this channel were missed: its subscribers have to recover. */
  missed?(channel: string): void;
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
  /** Append streams; absent: the broker has none. */
  readonly appends?: AppendStore | undefined;
  publishJoin(channel: string, info: ClientInfo): Promise<void>;
  publishLeave(channel: string, info: ClientInfo): Promise<void>;
  /** Reading an absent stream creates it (offset 0, new epoch), unless the filter says `peek`. */
  history(channel: string, filter: HistoryFilter, metaTtlMs: number): Promise<HistoryResult>;
  /**
   * Where the stream of a channel is, if the broker has it at hand: at least where any answer has said it is, and of a stream
   * that was read a moment ago, so that no read has to prolong its life. Null: it has to be read, as a channel with append
   * streams always has. Absent: the broker has no positions at hand.
   */
  readonly position?: ((channel: string) => StreamPosition | null) | undefined;
  /** This process alone writes its streams, so that its threads may follow them. */
  readonly ownsStreams?: boolean;
  /** Drops retained publications; offset and epoch stay. */
  removeHistory(channel: string): Promise<void>;
  /**
   * Gives a stream that has lost publications, as by a fail-over of its store, a new epoch, unless it no longer has the one
   * that was seen. Its offsets go on, and what it retains stays.
   */
  renewEpoch(channel: string, seen: string): Promise<void>;
  /** Drops the stream with its offset and epoch: the next use starts a new epoch. */
  removeStream(channel: string): Promise<void>;
}
