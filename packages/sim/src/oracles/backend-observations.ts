/** One presentation of a refresh token. */
export interface Redemption {
  readonly session: number;
  /** Of the token in its session. */
  readonly number: number;
  readonly begunUs: number;
  readonly endedUs: number;
  /** `failed`: for another reason, or it is not known. */
  readonly outcome: 'redeemed' | 'denied' | 'failed';
}

/** A signing key that was added; one of whose addition the answer was lost is not among them. */
export interface AddedKey {
  readonly id: string;
  readonly begunUs: number;
  readonly endedUs: number;
}

/** The signing keys that a node listed. */
export interface ListedKeys {
  readonly ids: readonly string[];
  readonly begunUs: number;
  readonly endedUs: number;
}

export interface KeyRecord {
  readonly added: readonly AddedKey[];
  readonly lists: readonly ListedKeys[];
  /** Ids of keys that an operator wanted to retire; absent: none. */
  readonly retired?: readonly string[];
}

/** The record of a channel as the store got it, by the store's own clock. */
export interface ChannelChange {
  readonly atMs: number;
  readonly name: string;
  readonly state: string;
  /** When something happened in it last. */
  readonly activeMs: number;
  /** NaN: it never closes. */
  readonly ttlMs: number;
}

/** One call under a rate limit. */
export interface LimitedCall {
  readonly begunUs: number;
  readonly endedUs: number;
  readonly outcome: 'accepted' | 'refused' | 'failed';
}

/** A rate limit, and the calls under it. */
export interface RateLimitRecord {
  readonly capacity: number;
  readonly windowUs: number;
  readonly calls: readonly LimitedCall[];
}
