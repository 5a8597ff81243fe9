import type { ClientInfo, Publication } from '@msg/protocol';

/** A position in a channel's stream. Offsets start at 1; 0 is before the first publication. */
export interface StreamPosition {
  readonly offset: number;
  readonly epoch: string;
}

/** What a channel's stream keeps. With `size` 0 or `ttlMs` 0 it keeps nothing, and publications carry no offset. */
export interface StreamOptions {
  /** Publications retained. */
  readonly size: number;
  /** How long retained publications live after the newest publish, milliseconds. */
  readonly ttlMs: number;
  /** How long offset and epoch outlive everything else, milliseconds; default 30 days. */
  readonly metaTtlMs?: number;
  /** Append streams are allowed, within these bounds; absent: they are not. They need `size` and `ttlMs` above 0. */
  readonly append?: AppendOptions;
}

/** The append streams of a channel (append streams 10.1). */
export interface AppendOptions {
  /** Bytes of a document at most; 2,048 of them are kept free for its end. */
  readonly maxBytes: number;
  /** A message ends as `failed`, `orphaned`, when its producer says nothing for so long, milliseconds. */
  readonly orphanMs: number;
  /** Shortest time between two publications of a message, milliseconds; 0: at the end of the turn. Default 40. */
  readonly windowMs?: number;
  /** Shortest time between two documents in full for one subscriber, milliseconds. Default 250. */
  readonly fullWindowMs?: number;
}

/** What a publication carries besides its payload. */
export interface PublishOptions {
  /** Overrides the channel's own stream options for this publish. */
  readonly stream?: StreamOptions;
  readonly tags?: ReadonlyMap<string, string>;
  /** Publisher, for client publishes. */
  readonly info?: ClientInfo;
  /** A second publish with this key within `idempotencyTtlMs` publishes nothing and returns the position of the first. */
  readonly idempotencyKey?: string;
  /** How long the broker remembers the key, milliseconds; default 300 000. */
  readonly idempotencyTtlMs?: number;
  /** A publish whose version is not newer than the stored one is suppressed, with or without history. 0: unversioned. */
  readonly version?: number;
  readonly versionEpoch?: string;
  /** Subscribers that negotiated delta may get a patch. */
  readonly delta?: boolean;
  /**
   * The stream does not keep it, whatever `stream` says, and a subscriber with more than `volatileQueueBytes` queued does
   * not get it.
   */
  readonly volatile?: boolean;
}

/** The part of a stream that a read returns. */
export interface HistoryFilter {
  readonly since?: StreamPosition;
  /** 0: only the position; negative: everything. */
  readonly limit: number;
  readonly reverse?: boolean;
  /** Only look: an absent stream is not created and reads as offset 0 without an epoch, and no life is prolonged. */
  readonly peek?: boolean;
}

/** The publications that a read of a stream found, and the top of the stream. */
export interface HistoryResult extends StreamPosition {
  readonly publications: readonly Publication[];
  /** Of a channel that has, or had, append streams: only the newest state of each message is retained. */
  readonly compacted?: CompactedWindow;
}

/** What a read of a compacted window may claim (append streams 11). */
export interface CompactedWindow {
  /** For each publication that was read: every offset between this one and its own was a state of an open message. */
  readonly priors: readonly number[];
  /** Newest state of the open message; null: none is open. */
  readonly open: Publication | null;
  /** The retained publications after that state. */
  readonly following: readonly Publication[];
}

/** The retained publications of one channel. */
export interface HistoryWindow {
  readonly epoch: string;
  /** Last assigned offset; 0 before the first publication. */
  readonly top: number;
  /** Publications retained. */
  readonly length: number;
  /** Appends a publication that carries offset `top + 1` and trims the window to `size`. */
  append(publication: Publication, size: number): void;
  /** The publication at the top if it is retained and may be the base of a patch for the next one. */
  base(): Publication | null;
  /** Drops what is retained; `top` and `epoch` stay. */
  clear(): void;
  /** The publications that the filter selects, in its direction (client protocol 7.9). The caller checks the epoch. */
  read(filter: HistoryFilter): Publication[];
}
