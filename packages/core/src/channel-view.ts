import { formatDuration } from './duration.ts';
import type { ChannelSummary } from './rpc/messages.ts';

/** A channel in the form of envelopes (messaging details 3.1). */
export interface ChannelView {
  readonly name: string;
  readonly state: string;
  /** Go duration string; `never` for a declared channel that stays open. */
  readonly ttl: string;
  readonly ttl_seconds: number;
  readonly created_at: string;
  readonly last_active: string;
}

/** The envelope form of the RPC's channel summary. */
export function channelView(summary: ChannelSummary): ChannelView {
  return {
    name: summary.name,
    state: summary.state,
    ttl: summary.ttl_seconds === 0 ? 'never' : formatDuration(summary.ttl_seconds * 1000),
    ttl_seconds: summary.ttl_seconds,
    created_at: summary.created_at,
    last_active: summary.last_active,
  };
}
