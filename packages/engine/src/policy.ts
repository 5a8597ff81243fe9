import type { MaybePromise } from '@msg/foundation/promises';
import type { ClientInfo, Payload } from '@msg/protocol';
import type { PublishOptions, PublishResult, StreamOptions } from './broker/contract.ts';

/** How and from where a connection came in. Header names are lower case. */
export interface TransportInfo {
  /** The name of a row of `TRANSPORTS`, or `in_process`. */
  readonly name: string;
  readonly encoding: 'json' | 'protobuf';
  /** Address of the TCP peer, without port; empty for in-process connections. */
  readonly remoteAddress: string;
  /** Request headers of the upgrade or stream request that the transport was told to keep. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** What the application passed to a connection inside its process; absent on every other. */
  readonly credential?: unknown;
}

/** One connection as hooks see it. Stable for the life of the connection, so it may key a WeakMap. */
export interface Client {
  /** Connection id, a UUID v4. */
  readonly id: string;
  /** User id, `''` for anonymous; set by the connect decision. */
  readonly user: string;
  readonly transport: TransportInfo;
  /** Whatever the connect or refresh decision put here; the engine never looks inside. */
  readonly state: unknown;
  /** True while the channel is subscribed on this connection, live and replied to. */
  isSubscribed(channel: string): boolean;
  /** What the subscribe decision put into `state` for this channel, `undefined` when not subscribed. */
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

/** A connection asks to be accepted. */
export interface ConnectEvent {
  readonly client: Client;
  readonly token: string;
  readonly data: Uint8Array | null;
  /** SDK name and application version as the client reports them. */
  readonly name: string;
  readonly version: string;
  /** Headers emulated by browsers: untrusted input. */
  readonly headers: ReadonlyMap<string, string>;
}

/** A credential that ends. */
export interface Expiry {
  /** Unix milliseconds. */
  readonly at: number;
  /** True: the client is told `expires`/`ttl` and must refresh. False: the server re-checks by itself. */
  readonly clientRefresh: boolean;
}

/** Who a connection belongs to, and what it gets at once. */
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

/** A client asks for a subscription. */
export interface SubscribeEvent {
  readonly channel: string;
  readonly token: string;
  readonly data: Uint8Array | null;
  /** Wishes of the client that the decision may grant. */
  readonly positioned: boolean;
  readonly recoverable: boolean;
  readonly joinLeave: boolean;
}

/** What a subscription may do; every member defaults to off. Source: client protocol 7.3. */
export interface SubscribeDecision {
  /** Track the stream position, so that gaps are noticed. Implied by `recovery`. */
  readonly positioned?: boolean;
  readonly recovery?: 'off' | 'stream' | 'cache';
  /** In cache mode: recover the latest publication even when the client did not ask. */
  readonly autoCacheRecovery?: boolean;
  /** Keep a presence entry for this subscriber. */
  readonly emitPresence?: boolean;
  /** Announce this subscriber to others. */
  readonly emitJoinLeave?: boolean;
  /** Deliver others' join and leave to this subscriber, whether it wished for that or not. */
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
  /** The same data as they are handed on; knows whether they are JSON. */
  readonly payload: Payload;
  readonly info: ClientInfo;
}

/**
 * Publishes what a client sent, its `info` with it unless the options have another. Answers at once, without a promise,
 * where the broker does; throws, or rejects, as it does.
 */
export type ForwardPublish = (event: PublishEvent, options: PublishOptions) => MaybePromise<PublishResult>;

/** A client sends a new connection token. */
export interface RefreshEvent {
  /** The client's token; `''` when the server re-checks an expired connection by itself. */
  readonly token: string;
}

/** What a refreshed connection has from now on. */
export interface RefreshDecision {
  /** Absent: no further expiry. */
  readonly expiry?: Expiry;
  readonly info?: Uint8Array;
  /** Replaces `client.state` when present. */
  readonly state?: unknown;
}

/** A client sends a new subscription token. */
export interface SubRefreshEvent {
  readonly channel: string;
  readonly token: string;
}

/** What a refreshed subscription has from now on. */
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
 * The embedder's decisions. Every hook may answer at once or later, and refuses by throwing
 * {@link ReplyError} (error reply) or {@link Disconnect}; anything else thrown becomes error 100.
 * A hook that is absent means: feature not available (error 108; `send` disconnects with 3508).
 */
export interface Policy {
  connect(event: ConnectEvent): MaybePromise<ConnectDecision>;
  /**
   * What JSON connections get of publications whose payload is not UTF-8 (client protocol 2.1): `base64`, the default, a
   * JSON string with the tag `msg-encoding: base64`; `disconnect`: 3506, as other servers of this protocol do.
   */
  readonly binaryPayloads?: 'base64' | 'disconnect';
  subscribe?(client: Client, event: SubscribeEvent): MaybePromise<SubscribeDecision>;
  /**
   * Asked once more right before the subscribe reply, when the channel is already registered in the hub:
   * answers whether the channel still takes subscribers (a deletion may have raced). Synchronous.
   */
  subscribed?(client: Client, channel: string): Unsubscribed | undefined;
  /**
   * Runs the client's `publish` command: decides, and calls `forward` to publish. The client gets its reply when this is
   * done, so `forward` belongs into it, and whatever is to happen around or after it.
   */
  publish?(client: Client, event: PublishEvent, forward: ForwardPublish): MaybePromise<unknown>;
  refresh?(client: Client, event: RefreshEvent): MaybePromise<RefreshDecision>;
  subRefresh?(client: Client, event: SubRefreshEvent): MaybePromise<SubRefreshDecision>;
  /** May the client read the presence of this channel? Returns for yes, throws for no. */
  presence?(client: Client, channel: string): MaybePromise<void>;
  presenceStats?(client: Client, channel: string): MaybePromise<void>;
  history?(client: Client, channel: string): MaybePromise<void>;
  rpc?(client: Client, event: RpcEvent): MaybePromise<Uint8Array>;
  /** An asynchronous message of the client (`send`). */
  message?(client: Client, data: Uint8Array): void;
  /** The stream kept for a channel: used by server publishes without explicit options, reads and checks. */
  streamOptions?(channel: string): StreamOptions;
  /** A connection that was connected is over. */
  disconnected?(client: Client, code: number, reason: string): void;
  /** A subscription that was live is over; the codes are those of client protocol 9.3. */
  unsubscribed?(client: Client, channel: string, code: number, reason: string): void;
}

/** Answer of {@link Policy.subscribed}: the error reply instead of success. */
export interface Unsubscribed {
  readonly code: number;
  readonly message: string;
  /** The client retries with backoff. */
  readonly temporary?: boolean;
}
