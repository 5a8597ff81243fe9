import type { Clock } from '@msg/foundation/clock';
import type { CompactedStream } from '../stream/compacted-stream.ts';
import type { Stream } from '../stream/stream.ts';
import { WheelTimer } from '../timers/timer-wheel.ts';
import type { ChannelAppends } from './channel-appends.ts';
import type { BrokerEvents, PublishOptions, PublishResult } from './contract.ts';

/** The records of the memory broker, for its parts. */
export interface MemoryRecords {
  readonly clock: Clock;
  readonly events: BrokerEvents | null;
  /** The channel's record without what has expired in its stream. */
  existing(channel: string, now: number): ChannelRecord | undefined;
  /** As {@link existing}, created when absent. */
  create(channel: string, now: number): ChannelRecord;
  /** The record's stream, created when absent; every use prolongs its life. */
  stream(record: ChannelRecord, metaTtlMs: number, now: number): Stream | CompactedStream;
  /** Sets the record's timer to fire at that moment or earlier; a timer that fires too early is set again. */
  arm(record: ChannelRecord, at: number): void;
}

interface RememberedResult {
  readonly result: PublishResult;
  /** Monotonic time. */
  readonly expiresAt: number;
}

/** What the broker stores for one channel. */
export class ChannelRecord {
  stream: Stream | CompactedStream | null = null;
  /** Monotonic time at which the retained items, and then the stream itself, are dropped. */
  itemsExpireAt = 0;
  metaExpireAt = 0;
  version = 0;
  versionEpoch = '';
  results: Map<string, RememberedResult> | null = null;
  /** Messages of append streams; null until the first. */
  appends: ChannelAppends | null = null;
  readonly timer: WheelTimer;

  constructor(expired: () => void) {
    this.timer = new WheelTimer(expired);
  }

  /** The next moment at which a part of the record expires; null for an empty record. */
  nextExpiry(): number | null {
    let next = Number.POSITIVE_INFINITY;
    if (this.stream !== null && this.stream.length > 0) next = this.itemsExpireAt;
    else if (this.stream !== null || this.version > 0) next = this.metaExpireAt;
    if (this.results !== null) {
      for (const remembered of this.results.values()) next = Math.min(next, remembered.expiresAt);
    }
    if (this.appends !== null) next = Math.min(next, this.appends.nextExpiry());
    return next === Number.POSITIVE_INFINITY ? null : next;
  }

  expireStream(now: number): void {
    if (this.stream === null && this.version === 0) return;
    if (this.itemsExpireAt <= now) this.stream?.clear();
    // An open message keeps its stream until it ends.
    if (this.metaExpireAt > now || (this.appends !== null && this.appends.open !== null)) return;
    this.stream = null;
    this.version = 0;
    this.versionEpoch = '';
  }

  expireResults(now: number): void {
    if (this.results === null) return;
    for (const [key, remembered] of this.results) {
      if (remembered.expiresAt <= now) this.results.delete(key);
    }
    if (this.results.size === 0) this.results = null;
  }
}

/** Applies the version rule (client protocol 10.2) and stores a newer version. Unversioned publishes keep it. */
export function isStale(record: ChannelRecord, options: PublishOptions): boolean {
  const { version = 0, versionEpoch = '' } = options;
  if (version === 0) return false;
  const sameEpoch = versionEpoch === '' || versionEpoch === record.versionEpoch;
  if (record.version > 0 && sameEpoch && version <= record.version) return true;
  record.version = version;
  record.versionEpoch = versionEpoch;
  return false;
}
