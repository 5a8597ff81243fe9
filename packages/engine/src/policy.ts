import type { MaybePromise } from '@msg/foundation/promises';
import type { ClientInfo, Payload } from '@msg/protocol';
import type { PublishOptions, PublishResult, StreamOptions } from './broker/contract.ts';

/** Transport and origin of a connection. Header names are lower case. */
export interface TransportInfo {
  /** The name of a row of `TRANSPORTS`, or `in_process`. */
  readonly name: string;
  readonly encoding: 'json' | 'protobuf';
  /** Address of the TCP peer, without port; empty for in-process connections. */
  readonly remoteAddress: string;
  /** Headers of the upgrade or stream request that the transport is configured to keep. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The value that the application passed to a connection inside its process; absent on every other. */
  readonly credential?: unknown;
}

/** One connection as hooks see it. Stable for the life of the connection, so it may key a WeakMap. */
export interface Client {
  /** Connection id, a UUID v4. */
  readonly id: string;
  /** User id, `''` for anonymous; set by the connect decision. */
  readonly user: string;
  readonly transport: TransportInfo;
  /** The `state` of the connect or refresh decision; opaque to the engine. */
  readonly state: unknown;
  /** True while this connection has a live subscription of the channel. */
  isSubscribed(channel: string): boolean;
  /** The `state` of the subscribe decision for this channel; `undefined` when not subscribed. */
  subscriptionState(channel: string): unknown;
  /** Live channels of this connection. */
  channels(): string[];
  /** Sends an asynchronous message outside any channel (client protocol 8); any bytes, shown like payloads. */
  send(data: Uint8Array): void;
  /** Ends one subscription with an unsubscribe push. No effect when not subscribed. */
  unsubscribe(channel: string, code: number, reason: string): void;
  /** Ends the connection. */
  disconnect(code: number, reason: string): void;
}

/** A client sent its connect command. */
export interface ConnectEvent {
  readonly client: Client;
  readonly token: string;
  readonly data: Uint8Array | null;
  /** SDK name, and with `version` the application's version, from the client: untrusted input. */
  readonly name: string;
  readonly version: string;
  /** Headers emulated by browsers: untrusted input. */
  readonly headers: ReadonlyMap<string, string>;
}

/** The end of a credential. */
export interface Expiry {
  /** Unix milliseconds. */
  readonly at: number;
  /** True: the client gets `expires` and `ttl` and must refresh. False: the server asks `policy.refresh` itself. */
  readonly clientRefresh: boolean;
}

/** The user of a connection, and what it gets at once. */
export interface ConnectDecision {
  /** User id; `''` is anonymous. */
  readonly user: string;
  /** `conn_info`, visible to every subscriber: never put secrets here. JSON bytes for JSON clients. */
  readonly info?: Uint8Array;
  /** Application data for the connect result. */
  readonly data?: Uint8Array;
  readonly expiry?: Expiry;
  /** Server-side subscriptions: channel → options. */
  readonly subscriptions?: ReadonlyMap<string, SubscribeDecision>;
  /** Kept as `client.state`. */
  readonly state?: unknown;
}

/** A client sent a subscribe command. */
export interface SubscribeEvent {
  readonly channel: string;
  readonly token: string;
  readonly data: Uint8Array | null;
  /** Features that the client requests and the decision may grant. */
  readonly positioned: boolean;
  readonly recoverable: boolean;
  readonly joinLeave: boolean;
}

/** What a subscription may do; every member defaults to off. Source: client protocol 7.3. */
export interface SubscribeDecision {
  /** Track the stream position, so that gaps are noticed. Implied by `recovery`. */
  readonly positioned?: boolean;
  readonly recovery?: 'off' | 'stream' | 'cache';
  /** In cache mode: recover the latest publication even when the client did not request it. */
  readonly autoCacheRecovery?: boolean;
  /** Keep a presence entry for this subscriber. */
  readonly emitPresence?: boolean;
  /** Announce this subscriber to others. */
  readonly emitJoinLeave?: boolean;
  /** Deliver others' join and leave to this subscriber, even when it did not request them. */
  readonly pushJoinLeave?: boolean;
  /** Fossil deltas may be negotiated. */
  readonly delta?: boolean;
  /** The client may pass a tags filter. Never together with `delta`. */
  readonly tagsFilter?: boolean;
  /** Numeric channel ids for clients that understand them. */
  readonly compaction?: boolean;
  /** `chan_info` of this subscriber. */
  readonly info?: Uint8Array;
  readonly data?: Uint8Array;
  readonly expiry?: Expiry;
  /** Kept for `client.subscriptionState(channel)`. */
  readonly state?: unknown;
}

/** A client publishes. */
export interface PublishEvent {
  readonly channel: string;
  readonly data: Uint8Array;
  /** The same data with their classification: JSON, text or binary. */
  readonly payload: Payload;
  readonly info: ClientInfo;
}

/**
 * Publishes what a client sent, with the client's `info` unless the options have another. Returns without a promise where
 * the broker does; throws or rejects with the broker's error.
 */
export type ForwardPublish = (event: PublishEvent, options: PublishOptions) => MaybePromise<PublishResult>;

/** A client sent a new connection token, or the server re-checks an expired connection. */
export interface RefreshEvent {
  /** The client's token; `''` when the server re-checks an expired connection by itself. */
  readonly token: string;
}

/** The decision about a refreshed connection. */
export interface RefreshDecision {
  /** Absent: no further expiry. */
  readonly expiry?: Expiry;
  readonly info?: Uint8Array;
  /** Replaces `client.state` when present. */
  readonly state?: unknown;
}

/** A client sent a new subscription token, or the server re-checks an expired subscription. */
export interface SubRefreshEvent {
  readonly channel: string;
  readonly token: string;
}

/** The decision about a refreshed subscription. */
export interface SubRefreshDecision {
  readonly expiry?: Expiry;
  readonly info?: Uint8Array;
  /** Replaces the subscription's state when present. */
  readonly state?: unknown;
}

/** A client calls a method of the application. */
export interface RpcEvent {
  readonly method: string;
  readonly data: Uint8Array;
}

/**
 * The embedder's decisions. Every hook may return at once or a promise. It refuses by throwing {@link ReplyError} (error
 * reply) or {@link Disconnect}; any other error becomes error 100. Without a hook its feature is not available (error
 * 108; `send` disconnects with 3508).
 */
export interface Policy {
  connect(event: ConnectEvent): MaybePromise<ConnectDecision>;
  /**
   * How JSON connections receive payloads that are not UTF-8 (client protocol 2.1). `base64`, the default: as a JSON
   * string with the tag `msg-encoding: base64`. `disconnect`: not at all, the connection ends with 3506.
   */
  readonly binaryPayloads?: 'base64' | 'disconnect';
  subscribe?(client: Client, event: SubscribeEvent): MaybePromise<SubscribeDecision>;
  /**
   * Called right before the subscribe reply, when the subscription is already registered: returns an error when the
   * channel takes no more subscribers, because a deletion may have raced. Synchronous.
   */
  subscribed?(client: Client, channel: string): Unsubscribed | undefined;
  /**
   * Runs the client's `publish` command: decides, and calls `forward` to publish. The client gets its reply when this
   * hook is done.
   */
  publish?(client: Client, event: PublishEvent, forward: ForwardPublish): MaybePromise<unknown>;
  refresh?(client: Client, event: RefreshEvent): MaybePromise<RefreshDecision>;
  subRefresh?(client: Client, event: SubRefreshEvent): MaybePromise<SubRefreshDecision>;
  /** Decides whether the client may read the presence of this channel: returns, or throws to refuse. */
  presence?(client: Client, channel: string): MaybePromise<void>;
  presenceStats?(client: Client, channel: string): MaybePromise<void>;
  history?(client: Client, channel: string): MaybePromise<void>;
  rpc?(client: Client, event: RpcEvent): MaybePromise<Uint8Array>;
  /** An asynchronous message of the client (`send`). */
  message?(client: Client, data: Uint8Array): void;
  /** The stream options of a channel, for server publishes without explicit options, reads and position checks. */
  streamOptions?(channel: string): StreamOptions;
  /** A connected connection ended. */
  disconnected?(client: Client, code: number, reason: string): void;
  /** A live subscription ended; the codes are those of client protocol 9.3. */
  unsubscribed?(client: Client, channel: string, code: number, reason: string): void;
}

/** Answer of {@link Policy.subscribed}: the error reply instead of success. */
export interface Unsubscribed {
  readonly code: number;
  readonly message: string;
  /** The client retries with backoff. */
  readonly temporary?: boolean;
}
