import { int32, int64, list, message, text, textMap, uint64 } from '@msg/foundation/shape';

// Messages of live feeds and tails (console, sections 7.4 and 7.8). Member names are the wire's.

export const openFeedRequest = message({
  /** Any of `stats`, `hints`, `lifecycle`, `dlq`, `jobs`, `audit` and `recording`; none: tails alone. */
  topics: list(text),
});
export const feedRef = message({ feed: text });
export const feedResponse = message({
  feed: text,
  /** The private channel in which it is told. */
  channel: text,
  /** For this channel alone. */
  access_token: text,
  access_expires_unix: int64,
});

export const startTailRequest = message({
  feed: text,
  name: text,
  /** Publications that are shown in a second: 1 to 100; 0: 20. */
  max_per_second: int32,
  /** At most 16384; 0: 2048. */
  max_payload_bytes: int32,
  /** Only publications with all of these tags. */
  tags: textMap,
});
export const startTailResponse = message({
  tail: text,
  /** Top of the stream at the begin. */
  offset: uint64,
  epoch: text,
});
export const stopTailRequest = message({ feed: text, tail: text });
