import type { JsonValue } from '@msg/core';

/** One publication of a batch, in the form of `Msg.publishMany`. */
export interface OutboxItem {
  readonly name: string;
  readonly payload: Uint8Array;
  readonly tags: Readonly<Record<string, string>>;
  /** `outbox:<key of the row>` */
  readonly idempotencyKey: string;
  readonly skipHistory: boolean;
  /** Rises from row to row of a channel; a row keeps its own through all attempts. */
  readonly version: number;
  /** `outbox:<id of the schema>` */
  readonly versionEpoch: string;
}

/** Why an item was not published. `code` is a code of the service. */
export interface OutboxItemError {
  readonly code: string;
  readonly message: string;
}

/** What became of an item. */
export interface OutboxOutcome {
  readonly offset: number;
  /** Empty where the channel has no history. */
  readonly epoch: string;
  /** The stream already had it. */
  readonly suppressed: boolean;
  readonly error: OutboxItemError | null | undefined;
}

/**
 * How the worker reaches the service. A `Msg` is one; `rpcPublisher` makes one of an RPC client. One method is required.
 *
 * A rejection with an MsgError without `cause` is an answer of the service: nothing was published. After any other
 * rejection the outcome of the items is unknown, and the worker publishes them again with the same versions.
 */
export interface OutboxPublisher {
  /**
   * Publishes in the order of the items, channels beside each other, and stops a channel at its first failure: a later
   * version that got in would make the service take the repeated earlier item for an old one.
   */
  publishMany(
    items: readonly OutboxItem[],
    options: { readonly parallel: true; readonly stopChannelOnError: true },
  ): Promise<readonly OutboxOutcome[]>;
  /** For rows of `msg.publish_or_sink`; absent: they become dead rows with the code `unsupported`. */
  publishOrSink?(
    name: string,
    payload: Uint8Array,
    sink: string,
    recipient: unknown,
    message: object,
    signal: undefined,
    extras: { readonly version: number; readonly versionEpoch: string },
  ): Promise<unknown>;
  /** Position of a channel, whose empty epoch says that it has no history; absent: every channel counts as one with. */
  positionOf?(name: string): Promise<{ readonly epoch: string }>;
}

/**
 * What is used of a `postgres` instance (postgres.js). The worker takes its options and makes connections of its own;
 * the other functions run their statements on it.
 */
export interface PostgresSql {
  unsafe(
    text: string,
    params?: (string | number | boolean | null)[],
  ): PromiseLike<readonly Readonly<Record<string, unknown>>[]>;
  readonly options: object;
}

/** The schema of the outbox; absent: `msg`. */
export interface SchemaOptions {
  /** Lower-case letters, digits and `_`, at most 40, not beginning with a digit. */
  readonly schema?: string;
}

/** What a worker waits for: the database, or the service. */
export interface OutboxFailure {
  readonly where: 'database' | 'service';
  /** MSG_* code of the service, SQLSTATE or error code of the database connection. */
  readonly code: string;
  /** Without address, user and password of the database. */
  readonly message: string;
}

/** What happens to a worker, for logs. */
export type OutboxEvent =
  | ({ readonly type: 'waiting'; readonly retryMs: number } & OutboxFailure)
  /** After `waiting`. */
  | { readonly type: 'recovered'; readonly where: OutboxFailure['where'] }
  /** A row became a dead row. */
  | { readonly type: 'dead'; readonly id: string; readonly channel: string; readonly code: string }
  /** The lease of another worker had run out. */
  | { readonly type: 'takeover'; readonly partition: number }
  /** `polling`: notifications do not arrive, rows wait for the next poll. */
  | { readonly type: 'bell'; readonly state: 'listening' | 'polling' };

/** Figures of a worker since it was made. */
export interface OutboxStats {
  /** `waiting`: for what `failure` says. */
  readonly state: 'stopped' | 'running' | 'waiting';
  readonly failure: OutboxFailure | undefined;
  /** Rows that the stream of their channel got, or already had. */
  readonly published: number;
  /** Of them those that the stream already had. */
  readonly suppressed: number;
  /** Rows that became dead rows, by code. */
  readonly dead: ReadonlyMap<string, number>;
  /** Partitions taken over from another worker whose lease had run out. */
  readonly takeovers: number;
  readonly bell: 'listening' | 'polling';
  /** Listening connections that were replaced. */
  readonly bellReplaced: number;
  /** Rows that wait, as counted last; undefined before the first count. */
  readonly rows: number | undefined;
  /** Age of the oldest row that waits, seconds, as counted last. */
  readonly oldestSeconds: number | undefined;
  /** Dead rows, as counted last. */
  readonly deadRows: number | undefined;
}

/** What `outboxStatus` reports of a schema. */
export interface OutboxStatus {
  /** Migrations that the schema has; 0: it does not exist. */
  readonly version: number;
  /** Migrations that this program has. */
  readonly latestVersion: number;
  readonly rows: number;
  /** 0 without rows. */
  readonly oldestSeconds: number;
  readonly deadRows: number;
  /** Partitions that a worker holds now. */
  readonly leases: number;
  /** 0: unbounded. */
  readonly maxRows: number;
  /** The channels that wait, oldest first, at most 20. */
  readonly held: readonly HeldChannel[];
}

/** A channel whose first row could not be published yet. */
export interface HeldChannel {
  readonly channel: string;
  readonly attempts: number;
  readonly lastError: string;
}

/** A row that is not tried again. */
export interface DeadRow {
  readonly id: string;
  readonly key: string;
  readonly channel: string;
  readonly kind: string;
  /** MSG_* code; `uncertain`: an answer was lost, and it may have been published. */
  readonly code: string;
  readonly lastError: string;
  readonly attempts: number;
  /** Bytes of the payload, which is not listed. */
  readonly bytes: number;
  readonly tags: Readonly<Record<string, string>>;
  /** RFC 3339. */
  readonly createdAt: string;
  /** RFC 3339. */
  readonly deadAt: string;
}

/** Which dead rows; absent members select all. */
export interface DeadSelection extends SchemaOptions {
  readonly ids?: readonly string[];
  readonly code?: string;
  readonly channel?: string;
}

/** Members of a publication beside its name and payload. */
export interface PublishExtras extends SchemaOptions {
  readonly tags?: Readonly<Record<string, string>>;
  /** Delivers only to live subscribers. */
  readonly skipHistory?: boolean;
  /** Takes a lock for the channel until commit: publications have the order of the commits. */
  readonly ordered?: boolean;
}

/** What a sink gets when the channel has no subscribers. */
export interface SinkDelivery extends SchemaOptions {
  readonly sink: string;
  readonly recipient: JsonValue;
  readonly message: { readonly [member: string]: JsonValue };
}
