import type { MaybePromise } from '@msg/foundation/promises';
import type { LifecycleEvent } from '../lifecycle-feed.ts';
import type { ChannelRecord } from '../record.ts';

/** The result of opening a public channel; `refused` for a name with the tombstone of a deletion. */
export interface OpenResult {
  readonly record: ChannelRecord;
  readonly change: 'created' | 'reopened' | 'refreshed' | 'refused';
}

/** The closed channel, and whether this call closed it. */
export interface CloseResult {
  readonly record: ChannelRecord;
  /** False when the channel was not open. */
  readonly changed: boolean;
}

/** The tombstone of a deleted channel, and whether this deletion created it. */
export interface DeleteResult {
  readonly record: ChannelRecord;
  /** False when the channel was already deleted. */
  readonly changed: boolean;
}

/**
 * The store of channel records. Every operation is one atomic step, also between nodes, so that exactly one node sees
 * that it changed a record, and each lifecycle event is emitted once. Names are valid. Records carry wall-clock times;
 * idle time is measured by a clock that does not jump with a node's clock. Rules: messaging details 5.1.
 */
export interface ChannelRegistry {
  /** Creates or reopens a channel, or resets activity and TTL of an open one. The creation time stays. */
  openPublic(name: string, ttlMs: number): Promise<OpenResult>;
  /** Creates an open private channel; `undefined` when the name has a record of any state. */
  createPrivate(name: string, ttlMs: number): Promise<ChannelRecord | undefined>;
  /** The record, tombstones included. */
  get(name: string): MaybePromise<ChannelRecord | undefined>;
  /**
   * As {@link get}, for a use of the channel: an open one may be as it was a second ago, or, as long as the events of other
   * nodes arrive, when the last of them came. Absent: {@link get}.
   */
  current?(name: string): MaybePromise<ChannelRecord | undefined>;
  /** Several records at once, in the order of the names. */
  getAll(names: readonly string[]): Promise<readonly (ChannelRecord | undefined)[]>;
  /**
   * This node's latest record, without waiting. It may lag behind a shared store, so use it only to confirm a recent
   * {@link get}.
   */
  peek(name: string): ChannelRecord | undefined;
  /** Open and closed records, in any order. */
  list(): Promise<readonly ChannelRecord[]>;
  /**
   * As {@link list}, at most so many at a time. A record that is there throughout is among them once; only one that
   * changes meanwhile may be there twice. Absent: listings read all at once.
   */
  slices?(most: number): AsyncIterable<readonly ChannelRecord[]>;
  /** Sets the last activity of an open channel, and its TTL if `ttlMs` is present; returns the current record. */
  touch(name: string, ttlMs?: number): MaybePromise<ChannelRecord | undefined>;
  /**
   * As {@link touch} without a TTL, in the background: it is done before a sweep, and before what this node asks next.
   * Absent: {@link touch}.
   */
  noteActivity?(name: string): void;
  /** Closes an open channel, as a sweep does; `undefined` without a record. Private channels are never given to it. */
  close(name: string): Promise<CloseResult | undefined>;
  /** Replaces the record by a tombstone; `undefined` without a record. */
  delete(name: string): Promise<DeleteResult | undefined>;
  /**
   * Sends the event of a completed private channel's creation to the other nodes. All other transitions send their event
   * in the same step.
   */
  announce(event: LifecycleEvent): Promise<void>;
  /** Removes the record of a failed creation. */
  forget(name: string): Promise<void>;
  /**
   * Closes public channels and removes private ones that were idle for their TTL or longer. Returns the changed records;
   * removed ones have the state `deleted`.
   */
  sweep(): Promise<readonly ChannelRecord[]>;
}
