import { choice, count, scalarType, setting, text, toggle } from '@msg/command-line';
import { type Entry, entryList, oneOf } from '@msg/command-line/internal';
import { optional, required } from '@msg/foundation/shape';
import { duration, pattern, positiveDuration } from './setting-types.ts';

const NEVER = 'never';

/** A TTL in milliseconds; `never` is infinite. */
const ttl = scalarType<number>({
  placeholder: 'duration|never',
  parse: value => (value === NEVER ? Number.POSITIVE_INFINITY : positiveDuration.parse(value)),
  format: value => (Number.isFinite(value) ? positiveDuration.format(value) : NEVER),
  expected: 'a duration above 0 such as 30m, or never',
  schema: oneOf({ const: NEVER }, positiveDuration.schema ?? {}),
});

const OPTIONS = {
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
  payload: optional(
    choice('any', 'json'),
    'what may be published, default `any` bytes; `json`: everything else is refused',
  ),
  volatile: optional(
    toggle,
    'nothing is kept, and a subscriber with more than 64 KiB waiting does not get what is published; default off',
  ),
  append: optional(toggle, 'append streams: a producer lets one message grow; turns delta on; default off'),
  append_window: optional(
    duration,
    'shortest time between two publications of a message, default 40ms, at most 500ms',
  ),
  append_full_window: optional(
    duration,
    'shortest time between two whole documents for a reader without delta, 40ms to 10s, default 250ms',
  ),
  append_max_bytes: optional(count, 'bytes of a message, 4096 to 1048576, default 262144'),
  append_orphan_timeout: optional(
    duration,
    'a message ends as failed when its producer says nothing for so long, 5s to 1h, default 30s',
  ),
  append_control: optional(toggle, 'clients may cancel through the topic control; default on'),
} as const;

const RULE = { pattern: required(pattern, 'the channels the entry is about'), ...OPTIONS } as const;

const OPEN = {
  name: optional(text, 'a public channel that is opened at the start; either this or `pattern`'),
  pattern: optional(pattern, 'public channels that open on first use by a subscribe or a publish'),
  ttl: optional(ttl, 'inactivity after which the channel closes, default 30m; `never`: it stays open'),
  ...OPTIONS,
} as const;

/** One entry of `channels.rules[]`: a scope pattern and, flat beside it, options (messaging details 10.6). */
export type ChannelEntry = Entry<typeof RULE>;

/** What exists, and what it offers. A list instead of the map means `rules`. */
export const CHANNEL_SETTINGS = {
  channelRules: setting(
    'channels.rules',
    entryList(RULE),
    [],
    'options of channels by pattern; the most specific entry that sets an option wins',
    { aliases: ['channels'] },
  ),
  openChannels: setting(
    'channels.open',
    entryList(OPEN),
    [],
    'public channels that exist without anybody opening them, and their options',
  ),
  keepOpenWhileSubscribed: setting(
    'channels.keep_open_while_subscribed',
    toggle,
    false,
    'live subscribers keep a channel open; on several nodes its TTL must exceed two sweep intervals',
  ),
} as const;
