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
}

/** The publications that a read of a stream found, and the top of the stream. */
export interface HistoryResult extends StreamPosition {
  readonly publications: readonly Publication[];
}
