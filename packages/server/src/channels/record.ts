import type { ChannelSummary, Visibility } from '@msg/core';
import { formatTimestamp } from '@msg/core/internal';

/** The state of a channel. */
export type ChannelState = 'open' | 'closed' | 'deleted';

/** The record of a channel. Times are Unix milliseconds of the node that wrote them. */
export interface ChannelRecord {
  readonly name: string;
  readonly visibility: Visibility;
  /** Only public channels can be `closed`; `deleted` is the tombstone of an explicit deletion. */
  readonly state: ChannelState;
  /** Inactivity time to live, milliseconds; `Infinity` for a declared channel that never closes. */
  readonly ttlMs: number;
  readonly createdAt: number;
  /** Reset by publish, touch and reopen. */
  readonly lastActive: number;
}

/** The record as the RPC shows it. */
export function channelSummary(record: ChannelRecord): ChannelSummary {
  return {
    name: record.name,
    state: record.state,
    // 0 means that the channel never closes.
    ttl_seconds: Number.isFinite(record.ttlMs) ? Math.max(1, Math.round(record.ttlMs / 1000)) : 0,
    created_at: formatTimestamp(record.createdAt),
    last_active: formatTimestamp(record.lastActive),
    visibility: record.visibility,
  };
}

/** The state of a channel; `undefined` for a name without record. */
export function stateOf(record: ChannelRecord | undefined): ChannelState | undefined {
  return record?.state;
}
