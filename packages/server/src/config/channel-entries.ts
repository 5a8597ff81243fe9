import { type Entry, entryList, optional, required } from './entry-types.ts';
import { choice, count, duration, pattern, toggle } from './setting-types.ts';

const SHAPE = {
  pattern: required(pattern, 'the channels the entry is about'),
  history_size: optional(count, 'publications kept, default 100; 0 turns history and recovery off'),
  history_ttl: optional(duration, 'how long they are kept, default 5m'),
  recovery: optional(
    choice('stream', 'cache', 'off'),
    'default `stream`; `cache` keeps only the latest value',
  ),
  presence: optional(toggle, 'presence entries, readable by subscribers; default off'),
  join_leave: optional(toggle, 'join and leave, pushed to subscribers that ask; default off'),
  delta: optional(toggle, 'fossil deltas may be negotiated; default off'),
  tags_filter: optional(toggle, 'subscribers may filter by tags, never together with delta; default off'),
  compaction: optional(toggle, 'numeric channel ids for clients that understand them; default on'),
  client_history: optional(toggle, 'the history command for subscribers; default on'),
} as const;

/** One entry of `channels[]`: a scope pattern and, flat beside it, options (messaging details 10.6). */
export type ChannelEntry = Entry<typeof SHAPE>;

/** `channels[]`. */
export const channelEntries = entryList(SHAPE);
