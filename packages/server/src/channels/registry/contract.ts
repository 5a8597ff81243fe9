import type { MaybePromise } from '@msg/foundation/promises';
import type { LifecycleEvent } from '../lifecycle-feed.ts';
import type { ChannelRecord } from '../record.ts';

/** What opening a public channel did; `refused` when the name carries the tombstone of a deletion. */
export interface OpenResult {
  readonly record: ChannelRecord;
  readonly change: 'created' | 'reopened' | 'refreshed' | 'refused';
}

/** The tombstone of a deleted channel, and whether this deletion made it. */
export interface DeleteResult {
  readonly record: ChannelRecord;
  /** False when the tombstone was already there. */
  readonly changed: boolean;
}

/**
 * Where channel records live. Every operation is one atomic step, also between nodes, so that of several nodes
 * exactly one sees itself as the one that changed a record, and each lifecycle event is emitted once.
 * Names are valid. A registry has a clock of its own: records carry the wall clock's times, and how long a channel was
 * idle is measured by a time that never jumps with the clock of a node. Rules: messaging details 5.1.
 */
export interface ChannelRegistry {
  /** Creates, reopens, or resets activity and TTL of an open one. The creation time is kept. */
  openPublic(name: string, ttlMs: number): Promise<OpenResult>;
  /** Creates an open private channel; `undefined` when the name has a record of any state. */
  createPrivate(name: string, ttlMs: number): Promise<ChannelRecord | undefined>;
  /** The record, tombstones included. */
  get(name: string): MaybePromise<ChannelRecord | undefined>;
  /** Several records at once, in the order of the names. */
  getAll(names: readonly string[]): Promise<readonly (ChannelRecord | undefined)[]>;
  /**
   * The latest record this node knows, without waiting. It may lag behind a shared store, so it only ever confirms
   * what {@link get} answered shortly before.
   */
  peek(name: string): ChannelRecord | undefined;
  /** Open and closed records, in any order. */
  list(): Promise<readonly ChannelRecord[]>;
  /** Sets the last activity of an open channel, and its TTL where one is given; answers the record as it stands. */
  touch(name: string, ttlMs?: number): MaybePromise<ChannelRecord | undefined>;
  /** Leaves a tombstone; `undefined` when there is no record. */
  delete(name: string): Promise<DeleteResult | undefined>;
  /**
   * Tells the other nodes of an event that no operation here told them of: the creation of a private channel, once it
   * is complete. All other transitions tell them in the same step.
   */
  announce(event: LifecycleEvent): Promise<void>;
  /** Takes a creation back without trace. */
  forget(name: string): Promise<void>;
  /**
   * Acts on open channels idle for their TTL or longer: public ones become `closed`, private ones are removed.
   * Answers those it changed, the removed ones with state `deleted`.
   */
  sweep(): Promise<readonly ChannelRecord[]>;
}
