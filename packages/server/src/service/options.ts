import type { Server } from 'node:http';
import type { Clock, Random } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import type { ApiRpc } from '../api/commands/rpc.ts';
import type { ApiOptions } from '../api/options.ts';
import type { CustomAuthorizer } from '../auth/access/custom-authorizer.ts';
import type { OidcOptions } from '../auth/access/oidc/options.ts';
import type { ApiKeyReader } from '../auth/api-keys/api-keys.ts';
import type { ApiKeyOptions } from '../auth/api-keys/declared.ts';
import type { KeySet } from '../auth/keys/ring.ts';
import type { KeyringStore } from '../auth/keys/store/contract.ts';
import type { RedemptionStore } from '../auth/tokens/refresh/contract.ts';
import type { RevocationStore } from '../auth/tokens/revocation/contract.ts';
import type { ChannelOptions, ChannelRule } from '../channels/channel-options.ts';
import type { DeclaredChannel } from '../channels/declared.ts';
import type { DeadLetterQueue } from '../notify/dead-letters/contract.ts';
import type { Sink } from '../notify/sinks/contract.ts';
import type { SinkRetryOptions } from '../notify/sinks/retry-policy.ts';
import type { SinkKind } from '../notify/sinks/sink-kind.ts';
import type { Logger } from '../observability/logger.ts';
import type { RateLimitOptions } from '../rate-limits/rate-limits.ts';
import type { ValidationRule } from '../schemas/validation.ts';
import type { StoreBackend } from '../stores/contract.ts';

/** Answers an `rpc` command of a connected client; `user` is empty for anonymous ones. */
export type ClientRpc = (call: {
  readonly method: string;
  readonly data: Uint8Array;
  readonly user: string;
  readonly clientId: string;
}) => Uint8Array | Promise<Uint8Array>;

/** Where the shared store is, and how its keys begin. */
export interface RedisOptions {
  /**
   * `host:port`, `redis://`, `rediss://`, `tcp://`, `unix://`, `redis+sentinel://host:port,host:port/<master>` or
   * `redis+cluster://host:port,host:port`, with credentials and database where they are not given apart.
   */
  readonly address: string;
  readonly username?: string;
  readonly password?: string;
  readonly db?: number;
  readonly tls?: {
    readonly enabled?: boolean;
    /** PEM file of the certificates to trust instead of the system's. */
    readonly caFile?: string;
    readonly serverName?: string;
    readonly insecureSkipVerify?: boolean;
  };
  /** Default `msg`. */
  readonly keyPrefix?: string;
  /** Further stores: streams and presence are spread over all of them. Same list and order on all nodes. */
  readonly shards?: readonly string[];
  /** Partitions of sharded PUB/SUB, on clusters of Redis 7 or newer, at most 1024. Same on all nodes; default 0, off. */
  readonly shardedPubSubPartitions?: number;
}

/** Bounds on what clients may use. Source: messaging details 17, `limits.*`. */
export interface MsgLimits {
  /** Bytes of one incoming message of a client; default 65,536; beyond: its connection ends. */
  readonly messageBytes?: number;
  /** Subscriptions of one connection; default 128; beyond: error 106. */
  readonly subscriptionsPerConnection?: number;
  /** Bytes of a channel name on the client protocol; default 255; beyond: error 107. */
  readonly channelNameBytes?: number;
  /** Bytes of pushes that may wait for a slow reader; default 1 MiB; beyond: disconnect 3008. */
  readonly queueBytes?: number;
  /** Connections on this node; default 0: any number; beyond: 503. */
  readonly connections?: number;
  /** Connections of one client address on this node; default 0: any number; beyond: disconnect 3504. */
  readonly connectionsPerAddress?: number;
  /** Publications that one history command of a client returns at most; default 1,000. */
  readonly historyItems?: number;
  /** Memory in bytes that the bodies of all HTTP requests under way may hold; default 64 MiB; beyond: 503. */
  readonly bodyBytes?: number;
}

/** How the service finds connections whose peer is gone. */
export interface PingOptions {
  /** Between pings of the server; default 25 s. */
  readonly intervalMs?: number;
  /** From a ping to its pong; default 8 s; smaller than the interval; beyond: disconnect 3012. */
  readonly timeoutMs?: number;
}

/** Which requests have a record in the log. */
export interface AccessLogOptions {
  /** `sampled`: a share of the successes, and all failures; default `on`. */
  readonly mode?: 'on' | 'sampled' | 'off';
  /** Share of the successes that is logged under `sampled`; default 0.01. */
  readonly sample?: number;
}

/** The WebTransport listener: a UDP port of its own, always with TLS. Needs the optional package `rwebtransport`. */
export interface WebTransportOptions {
  /** `host:port`, `:port` or `[v6]:port`; port 0 takes a free one. */
  readonly addr: string;
  /** Paths of PEM files: the certificate chain and its private key. */
  readonly certFile: string;
  readonly keyFile: string;
  /** Replaces `allowedOrigins` on this listener; default or empty: the same. */
  readonly allowedOrigins?: readonly string[];
}

/** A declared channel with the options of the channels it covers. */
export interface OpenChannel extends DeclaredChannel, Partial<ChannelOptions> {}

/** Which channels exist, and what they offer. Source: messaging details 24.2. */
export interface ChannelsOptions {
  /** Options by channel pattern. */
  readonly rules?: readonly ChannelRule[];
  /** Public channels that the service opens by itself, by name at the start or by pattern on first use. */
  readonly open?: readonly OpenChannel[];
  /**
   * Live subscribers count as activity, so that a channel with subscribers does not end. On several nodes the TTL must
   * be longer than two sweep intervals. Default false.
   */
  readonly keepOpenWhileSubscribed?: boolean;
}

/** Routes that a service serves unless they are `false`. The transports of clients are always served. */
export interface RouteOptions {
  /** `/twirp/msg.MsgService/…` */
  readonly rpc?: boolean;
  /** `/metrics` */
  readonly metrics?: boolean;
  /** `/healthz` and `/readyz` */
  readonly health?: boolean;
  /** `/manifest` */
  readonly manifest?: boolean;
  /** The public keys: `/msg/jwks.json`. */
  readonly jwks?: boolean;
  /** `/sse`, the debug stream. */
  readonly debugStream?: boolean;
  /** `/schemas` and below. */
  readonly schemas?: boolean;
  /** `/msg.js` and `/msg.mjs` */
  readonly clientScript?: boolean;
  /** `/openapi.json`, which is there with the option `openApi`. */
  readonly openApi?: boolean;
}

/**
 * Options of {@link Msg.create}; every one may be absent. Durations are milliseconds.
 * Source: messaging details, section 21.
 */
export interface MsgOptions {
  /** A ring to use as it is; changes to it are not stored anywhere. Wins over every other place. */
  readonly keySet?: KeySet;
  /** Where the ring is stored. Wins over `stateDir`. */
  readonly keyringStore?: KeyringStore;
  /** Directory of `keyring.json` and `security.log`, created when missing; empty: a restart forgets both. */
  readonly stateDir?: string;
  /** The Redis-compatible store that makes many nodes one service; default: this node is alone. */
  readonly redis?: RedisOptions;
  /**
   * A backend of the embedder in place of `redis`: everything that outlives a request is kept there. Default: memory, with
   * `security.log` in `stateDir`.
   */
  readonly stores?: StoreBackend;
  /** Name of this node among the others; default `node-` and 16 hex digits. */
  readonly nodeId?: string;
  /** Lifetime of access tokens; default 5 min, 1 min to 1 h. */
  readonly accessTokenTtlMs?: number;
  /** Longest lifetime of refresh tokens; default and maximum 1 h. */
  readonly maxRefreshTokenTtlMs?: number;
  /** Longest session of `msg.tokens.issueAccess`; default 30 days. */
  readonly maxSessionTtlMs?: number;
  /** Channels that exist by themselves, and options of channels. */
  readonly channels?: ChannelsOptions;
  /** Another name of `channels.rules`: options by channel pattern; they win over the four history options. */
  readonly channelOptions?: readonly ChannelRule[];
  /** Publications kept per public channel; default 100. */
  readonly publicHistorySize?: number;
  /** Publications kept per private channel; default 100. */
  readonly privateHistorySize?: number;
  /** How long those of public channels are kept; default 5 min. */
  readonly publicHistoryTtlMs?: number;
  /** How long those of private channels are kept; default 5 min. */
  readonly privateHistoryTtlMs?: number;
  /** Sinks to begin with; more can be registered later. Of two with one name the last one stays. */
  readonly sinks?: readonly Sink[];
  /** Kinds that entries of `sinks` in `configFile` may have besides email, slack and webhook. */
  readonly sinkKinds?: readonly SinkKind[];
  /** How often and when sinks are tried again. */
  readonly sinkRetry?: SinkRetryOptions;
  /**
   * A snapshot of schemas to begin with, as JSON in a file. With a shared store it is loaded only while that holds no
   * schemas.
   */
  readonly schemasFile?: string;
  /** How publications are held to the schemas of their channels; the most specific pattern wins; default not at all. */
  readonly schemaValidation?: readonly ValidationRule[];
  /** Where deliveries are kept that were given up; default the shared store, else memory. */
  readonly dlq?: DeadLetterQueue;
  /** Bounds on what clients may use. */
  readonly limits?: MsgLimits;
  /** Pings of the server to its clients. */
  readonly ping?: PingOptions;
  /** Records of requests; default: every request has one. */
  readonly accessLog?: AccessLogOptions;
  /** Serves `GET /openapi.json`; default no. */
  readonly openApi?: boolean;
  /** Rate limits; default none. */
  readonly rateLimits?: RateLimitOptions;
  /**
   * Where revocations are kept; `auto`: in the shared store when there is one, else in memory and, with a `stateDir`, in its
   * `security.log`. Default none, and then nothing can be revoked. With a store that is `volatile`, tokens issued before the
   * start are refused.
   */
  readonly revocationStore?: RevocationStore | 'auto';
  /** Where redeemed refresh tokens are kept; default the shared store, else memory and the log of `stateDir`. */
  readonly refreshStore?: RedemptionStore;
  /**
   * Keys of backends, accepted by the RPC as `Authorization: Bearer <key>` and `X-API-Key: <key>`. Default: only those that
   * were created while the service ran.
   */
  readonly apiKeys?: readonly ApiKeyOptions[];
  /** Answers what takes the place of `apiKeys` when `msg.keys.reload` or ReloadKeys is called; default: they stay. */
  readonly rereadApiKeys?: ApiKeyReader;
  /** How often a stored keyring is looked at for changes; default 5 s, 0 or less: never. */
  readonly keyringPollMs?: number;
  /** Browser origins besides the service's own host: exact ones, `https://*.example.com`, or `*`. */
  readonly allowedOrigins?: readonly string[];
  /**
   * Names that requests may give as `Host` besides those of the loopback interface: `example.com`, `*.example.com`, or
   * `*`; others get 403. Default: any name, since a program that mounts the service decides where it listens. `msg
   * serve` on a loopback address always has a list.
   */
  readonly allowedHosts?: readonly string[];
  /** Serves WebTransport too; default no. */
  readonly webtransport?: WebTransportOptions;
  /** Address ranges of proxies whose `X-Forwarded-For` or `Forwarded` is believed. */
  readonly trustedProxies?: readonly string[];
  /** Bearer that `/metrics` asks for; default none. */
  readonly metricsToken?: string;
  /** Serves `/msg.js` and `/msg.mjs`: the browser wrapper, for pages without a bundler; default true. */
  readonly clientScript?: boolean;
  /** The HTTP API for backends; default: off. */
  readonly api?: ApiOptions;
  /** Answers the command `rpc` of the HTTP API; default: error 104. */
  readonly apiRpc?: ApiRpc;
  /**
   * Path below which everything of the service is, upgrades too: `/rt`. It is compared with `originalUrl`, else `url`, so that
   * a framework may cut off the path at which it mounts the handler. Default: the root.
   */
  readonly basePath?: string;
  /** Takes single routes off; default: all are served. */
  readonly routes?: RouteOptions;
  /** Answers the client protocol's `rpc` command; default: not available. */
  readonly clientRpc?: ClientRpc;
  /** How often idle channels are looked for; default 30 s. */
  readonly sweepIntervalMs?: number;
  /**
   * A shutdown begins with this long a time in which everything goes on but new connections, and the clients are sent
   * elsewhere evenly spread; milliseconds, default 0: all at once.
   */
  readonly drainWindowMs?: number;
  /**
   * Asked about each subscribe and publish of a client after the checks of the service: `allow` gives a right that no
   * grant gives, `{ deny: reason }` takes one, `undefined` leaves the decision as it stands. A throw, or no answer within
   * 2 s, denies. Default: none.
   */
  readonly authorizer?: CustomAuthorizer;
  /**
   * False: the grants of access tokens open nothing, they only say who connects. Private channels are then a matter of
   * `authorizer` alone; without one every private subscribe is MSG_AUTH_DENIED. Default true.
   */
  readonly tokens?: boolean;
  /** The identity provider whose ID tokens are management bearers; default none. */
  readonly oidc?: OidcOptions;
  /** Where traces are sent over OTLP/HTTP: `http://collector:4318`; empty: nowhere, and no tracing code is loaded. */
  readonly otlpEndpoint?: string;
  /**
   * Refuses RPC requests that have members which their method does not know; default: only those of methods that hand out
   * credentials or rights, the others are named in the header `Msg-Ignored-Fields` of the answer.
   */
  readonly strictRequests?: boolean;
  /** Turns the bearer check of the RPC off: development only. */
  readonly noAuth?: boolean;
  /**
   * A configuration file as `msg serve` reads it; options that are given win over it. What concerns the process alone, such
   * as `server.addr`, does not count.
   */
  readonly configFile?: string;
  /** Path of the configuration file, shown in the manifest. */
  readonly configSource?: string;
  /** Label of this deployment, shown in the manifest; empty: none. */
  readonly region?: string;
  /** Addresses of other deployments, shown in the manifest. */
  readonly peers?: readonly string[];
  /** Default: nothing is logged. */
  readonly logger?: Logger;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Reported by manifest and protocol; default the build's version. */
  readonly version?: string;
}

/** Where a service listens by itself. */
export interface ListenOptions {
  /** Name or IP address; default `127.0.0.1`. Empty: every interface. */
  readonly host?: string;
  /** Default 8000; 0 takes a free one. */
  readonly port?: number;
}

/** Options of {@link Msg.start}. */
export interface StartOptions extends MsgOptions {
  /** Listens with a server of the service's own. */
  readonly listen?: ListenOptions;
  /** Takes the WebSocket upgrades of this server over; its requests reach the service through {@link Msg.handler}. */
  readonly server?: Server;
}

/** Share of the successful requests that is logged where a sample is asked for. */
export const DEFAULT_LOG_SAMPLE = 0.01;
/** How long a shutdown waits for clients to leave. */
export const SHUTDOWN_GRACE_MS = 5000;
/** How long it waits for sends to sinks that are under way; then they are parked. */
export const SINK_GRACE_MS = 4000;
export const DEFAULT_SWEEP_INTERVAL_MS = 30_000;

/** The four history options as rules of the lowest precedence, then the given ones. */
export function channelRules(options: MsgOptions): readonly ChannelRule[] {
  const history = (pattern: string, size: number | undefined, ttl: number | undefined): ChannelRule[] => {
    if (size === undefined && ttl === undefined) return [];
    return [
      {
        pattern,
        ...defined({ historySize: size, historyTtlMs: ttl }),
      },
    ];
  };
  return [
    ...history('public:**', options.publicHistorySize, options.publicHistoryTtlMs),
    ...history('private:**', options.privateHistorySize, options.privateHistoryTtlMs),
    ...(options.channels?.open ?? []).map(({ name, pattern, ttlMs: _ttl, ...rule }) => ({
      ...rule,
      pattern: name ?? pattern ?? '',
    })),
    ...(options.channels?.rules ?? []),
    ...(options.channelOptions ?? []),
  ];
}
