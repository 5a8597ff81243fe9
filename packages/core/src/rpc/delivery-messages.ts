import {
  anyJson,
  flag,
  type Infer,
  int32,
  list,
  message,
  nullable,
  text,
  textMap,
  uint64,
  unlessZero,
} from '@msg/foundation/shape';
import { PUBLICATION, publicationMessage } from './publication.ts';

// Messages of deliveries to sinks and of dead letters. Member names are the wire's.

export const sinkMessage = message(
  { subject: text, body: text, metadata: textMap },
  { subject: ['Subject'], body: ['Body'], metadata: ['Metadata'] },
);

export const publishOrSinkRequest = publicationMessage({
  name: text,
  ...PUBLICATION,
  sink: text,
  /** In the sink's own form. */
  recipient: anyJson,
  message: sinkMessage,
});
export const publishOrSinkResponse = message({
  /** `published` to live subscribers, `sent` through the sink, or `parked` as a dead letter. */
  outcome: text,
  delivered: flag,
  /** `channel`, `sink` or `dlq`. */
  via: text,
  offset: uint64,
  epoch: text,
  suppressed: flag,
});

export const dlqItem = message({
  id: text,
  sink: text,
  channel: text,
  /** In the form of the sink's kind; `null` without a recipient. */
  recipient: anyJson,
  message: sinkMessage,
  last_error: text,
  /** Sends made so far. */
  attempts: int32,
  /** RFC 3339. */
  parked_at: text,
  /** Same value as `parked_at`. */
  at: text,
  /** Copies of the message's members; empty where both do not fit into an answer. */
  subject: text,
  body: text,
  metadata: textMap,
  /** The caller's role does not see messages: their texts are empty and recipients masked. */
  hidden: flag,
  /** Bytes of the body. */
  size: int32,
  /** Letters whose errors have the same form have the same group. */
  group: text,
  /** Who changed it, and when; the last at the end. */
  edits: list(message({ by: text, at: text })),
  /** The message, or the recipient, does not fit into an answer: it is cut, and a recipient is `null`. */
  truncated: flag,
});
/** A dead letter in the form of the RPC. */
export type DlqItem = Infer<typeof dlqItem>;

export const dlqListRequest = message({
  sink: text,
  /** At most 10,000; 0: 100, and with `sink` alone all. */
  limit: int32,
  channel: unlessZero(text),
  group: unlessZero(text),
  /** A part of the id, channel, recipient, subject or error. */
  query: unlessZero(text),
  cursor: unlessZero(text),
});
export const dlqListResponse = message({
  /** The newest first; a page ends early before 2 MiB. */
  items: list(dlqItem),
  next_cursor: text,
  /** Matches on all pages. */
  total: int32,
});
export const dlqGetResponse = message({ item: nullable(dlqItem) });
export const dlqGroupsResponse = message({
  /** The largest first. */
  groups: list(
    message({
      group: text,
      /** The error of one of them. */
      sample: text,
      count: int32,
      /** RFC 3339. */
      oldest: text,
      newest: text,
    }),
  ),
  /** Further ones do not fit into an answer. */
  more: flag,
});
export const dlqCountRequest = message({ sink: text });
export const dlqCountResponse = message({ count: int32 });
export const dlqRef = message({ id: text });
export const dlqUpdateRequest = message({
  id: text,
  /** In the form of the sink's kind; `null`: it stays. */
  recipient: anyJson,
  /** The whole message; `null`: it stays. */
  message: nullable(sinkMessage),
});
/** One of `id`, `ids`, and `group` with `sink`. */
export const dlqDiscardRequest = message({
  id: unlessZero(text),
  /** At most 500. */
  ids: list(text),
  group: unlessZero(text),
  sink: unlessZero(text),
  /** 0 to 300: so long DlqRestore brings them back; 0: never. */
  undo_seconds: unlessZero(int32),
});
export const dlqDiscardResponse = message({
  discarded: int32,
  /** Those that DlqRestore brings back. */
  ids: list(text),
});
/** At most 500. */
export const dlqRestoreRequest = message({ ids: list(text) });
/** Those whose time was over are not among them. */
export const dlqRestoreResponse = message({ restored: int32 });
export const dlqReplayResponse = message({
  /** `sent`; `parked` after another failure; `running` while its retries run. */
  outcome: text,
  /** Sends made so far; while `running`, those of before. */
  attempts: int32,
  last_error: text,
});
