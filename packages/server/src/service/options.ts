import type { Server } from 'node:http';
import type { Clock, Random } from '@msg/foundation/clock';
import type { ApiRpc } from '../api/commands/rpc.ts';
import type { ApiOptions } from '../api/options.ts';
import type { AuditOptions } from '../audit/options.ts';
import type { CustomAuthorizer } from '../auth/access/custom-authorizer.ts';
import type { OidcOptions } from '../auth/access/oidc/options.ts';
import type { ApiKeyReader } from '../auth/api-keys/api-keys.ts';
import type { ApiKeyOptions } from '../auth/api-keys/declared.ts';
import type { KeySet } from '../auth/keys/key-set.ts';
import type { KeyringStore } from '../auth/keys/store/contract.ts';
import type { RedemptionStore } from '../auth/tokens/refresh/contract.ts';
import type { RevocationStore } from '../auth/tokens/revocation/contract.ts';
import type { ChannelRule } from '../channels/channel-options.ts';
import type { ChannelsOptions } from '../channels/options.ts';
import type { RunningSetting } from '../config/running-setting.ts';
import type { ConsoleOptions } from '../console/options.ts';
import type { AccessLogOptions, RouteOptions, WebTransportOptions } from '../http/options.ts';
import type { DeadLetterQueue } from '../notify/dead-letters/contract.ts';
import type { Sink } from '../notify/sinks/contract.ts';
import type { SinkRetryOptions } from '../notify/sinks/retry-policy.ts';
import type { GoneRecipient } from '../notify/sinks/retrying.ts';
import type { SinkKind } from '../notify/sinks/sink-kind.ts';
import type { Logger } from '../observability/logger.ts';
import type { OutboxOptions } from '../outbox/options.ts';
import type { RateLimitOptions } from '../rate-limits/rate-limits.ts';
import type { ClientRpc } from '../realtime/client-rpc.ts';
import type { ValidationRule } from '../schemas/validation.ts';
import type { StoreBackend } from '../stores/contract.ts';

import type { RedisOptions } from '../stores/redis/options.ts';
import type { MsgLimits, PingOptions } from './engine-limits.ts';

/** Options of {@link Msg.create}; all are optional. Durations are milliseconds. Source: messaging details, section 21. */
export interface MsgOptions {
  /** A key set to use as it is; changes are not stored. It has precedence over every store. */
  readonly keySet?: KeySet;
  /** The store of the keyring. It has precedence over `stateDir`. */
  readonly keyringStore?: KeyringStore;
  /** Directory of `keyring.json` and `security.log`, created if missing; empty: both end with the process. */
  readonly stateDir?: string;
  /** The Redis-compatible store that joins several nodes to one service; default: a single node. */
  readonly redis?: RedisOptions;
  /**
   * The embedder's backend in place of `redis`: it stores everything that outlives a request. Default: memory, with
   * `security.log` in `stateDir`.
   */
  readonly stores?: StoreBackend;
  /**
   * How many threads hold the connections of {@link Msg.listen}, 1 to 32, or `auto`: one for each core that the process may
   * use, at most 8, fewer where memory is limited. Default 1: the thread that called. More than one cannot have a `clock` or
   * `random` of their own.
   */
  readonly threads?: number | 'auto';
  /** Name of this node among the others; default `node-` and 16 hex digits. */
  readonly nodeId?: string;
  /** Lifetime of access tokens; default 5 min, 1 min to 1 h. */
  readonly accessTokenTtlMs?: number;
  /** Longest lifetime of refresh tokens; default and maximum 1 h. */
  readonly maxRefreshTokenTtlMs?: number;
  /** Longest session of `msg.tokens.issueAccess`; default 30 days. */
  readonly maxSessionTtlMs?: number;
  /** Declared channels and channel options. */
  readonly channels?: ChannelsOptions;
  /** Another name of `channels.rules`: options by channel pattern, with precedence over the four history options. */
  readonly channelOptions?: readonly ChannelRule[];
  /** Publications kept per public channel; default 100. */
  readonly publicHistorySize?: number;
  /** Publications kept per private channel; default 100. */
  readonly privateHistorySize?: number;
  /** How long publications of public channels are retained; default 5 min. */
  readonly publicHistoryTtlMs?: number;
  /** How long publications of private channels are retained; default 5 min. */
  readonly privateHistoryTtlMs?: number;
  /** Initial sinks; more can be registered later. Of two sinks with one name the last one stays. */
  readonly sinks?: readonly Sink[];
  /** Further kinds of sinks for `configFile`, besides email, slack, webhook and webpush. */
  readonly sinkKinds?: readonly SinkKind[];
  /**
   * Called when a destination says that a recipient is gone for good, for example a push subscription that ended: the
   * application deletes it. Nothing is parked. What it throws or rejects with is reported and changes nothing.
   */
  readonly onRecipientGone?: (gone: GoneRecipient) => void | Promise<void>;
  /** Retries of sinks. */
  readonly sinkRetry?: SinkRetryOptions;
  /** A JSON file with the initial snapshot of schemas. With a shared store it is loaded only if that holds no schemas. */
  readonly schemasFile?: string;
  /** Validation of publications by the schemas of their channels; the most specific pattern applies; default: none. */
  readonly schemaValidation?: readonly ValidationRule[];
  /** The PostgreSQL outbox that the service consumes; needs the packages `@msg/postgres` and `postgres`. */
  readonly outbox?: OutboxOptions;
  /** The store of failed deliveries; default the shared store, else memory. */
  readonly dlq?: DeadLetterQueue;
  /** Limits of clients. */
  readonly limits?: MsgLimits;
  /** Pings of the server to its clients. */
  readonly ping?: PingOptions;
  /** Log records of requests; default: one for every request. */
  readonly accessLog?: AccessLogOptions;
  /** Serves `GET /openapi.json`; default no. */
  readonly openApi?: boolean;
  /** Rate limits; default none. */
  readonly rateLimits?: RateLimitOptions;
  /**
   * The store of revocations; `auto`: the shared store if there is one, else memory and, with a `stateDir`, its
   * `security.log`. Default none: nothing can be revoked. With a `volatile` store, tokens issued before the start are
   * refused.
   */
  readonly revocationStore?: RevocationStore | 'auto';
  /** The store of redeemed refresh tokens; default the shared store, else memory and the log of `stateDir`. */
  readonly refreshStore?: RedemptionStore;
  /**
   * Keys of backends, which the RPC accepts as `Authorization: Bearer <key>` and `X-API-Key: <key>`. Default: only keys
   * that were created while the service ran.
   */
  readonly apiKeys?: readonly ApiKeyOptions[];
  /** Returns the replacement of `apiKeys` when `msg.keys.reload` or ReloadKeys is called; default: they stay. */
  readonly rereadApiKeys?: ApiKeyReader;
  /** Poll interval of a stored keyring; default 5 s, 0 or less: never. */
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
  /** Address ranges of proxies whose `X-Forwarded-For` or `Forwarded` is trusted. */
  readonly trustedProxies?: readonly string[];
  /** Bearer that `/metrics` requires; default none. */
  readonly metricsToken?: string;
  /**
   * Metrics of the process on `/metrics`: CPU, memory, event loop, garbage collection; default true. False leaves them to a
   * program that exports its own, and an idle process is no longer woken to measure its event loop.
   */
  readonly processMetrics?: boolean;
  /** Serves `/msg.js` and `/msg.mjs`: the browser wrapper, for pages without a bundler; default true. */
  readonly clientScript?: boolean;
  /** The HTTP API for backends; default: off. */
  readonly api?: ApiOptions;
  /** Answers the command `rpc` of the HTTP API; default: error 104. */
  readonly apiRpc?: ApiRpc;
  /**
   * Path prefix of all routes and upgrades, such as `/rt`. It is compared with `originalUrl`, else `url`, because a
   * framework may remove the mount path. Default: the root.
   */
  readonly basePath?: string;
  /** Turns single routes off; default: all are served. */
  readonly routes?: RouteOptions;
  /** Answers the client protocol's `rpc` command; default: not available. */
  readonly clientRpc?: ClientRpc;
  /** Interval of the sweep for idle channels; default 30 s. */
  readonly sweepIntervalMs?: number;
  /**
   * First phase of a shutdown, milliseconds: new connections are refused, and the clients are disconnected evenly over
   * this time, while everything else continues. Default 0: all at once.
   */
  readonly drainWindowMs?: number;
  /**
   * With a shared store: a node with more than its share of the clients of all nodes asks the rest to reconnect, spread over
   * this time, milliseconds, for a balancer to give them to the others. Default 0: clients stay where they are.
   */
  readonly rebalanceWindowMs?: number;
  /**
   * Decides about each subscribe and publish of a client after the checks of the service: `allow` gives a right that no
   * grant gives, `{ deny: reason }` denies, `undefined` keeps the decision. A throw, or no answer within 2 s, denies.
   * Default: none.
   */
  readonly authorizer?: CustomAuthorizer;
  /**
   * False: access tokens only identify the user, and their grants give no rights. Only `authorizer` then opens private
   * channels; without one every private subscribe is MSG_AUTH_DENIED. Default true.
   */
  readonly tokens?: boolean;
  /** Viewers see payloads, messages of dead letters and info of connections; default false: these are left out. */
  readonly viewerPayloads?: boolean;
  /** Records of calls that change something. */
  readonly audit?: AuditOptions;
  /** The console for operators, below `/console`; default off. */
  readonly console?: ConsoleOptions;
  /** The identity provider whose ID tokens are management bearers; default none. */
  readonly oidc?: OidcOptions;
  /** Address for traces over OTLP/HTTP, such as `http://collector:4318`; empty: no tracing code is loaded. */
  readonly otlpEndpoint?: string;
  /**
   * Every RPC method refuses unknown members. Default false: only methods that issue credentials or rights do, and other
   * methods name them in the header `Msg-Ignored-Fields` of the answer.
   */
  readonly strictRequests?: boolean;
  /** Turns the bearer check of the RPC off, for development only. */
  readonly noAuth?: boolean;
  /**
   * A configuration file of `msg serve`; explicit options have precedence. Settings of the process, such as
   * `server.addr`, are ignored.
   */
  readonly configFile?: string;
  /** Path of the configuration file, shown in the manifest. */
  readonly configSource?: string;
  /** What Config answers; default: these options, without secrets. */
  readonly settings?: readonly RunningSetting[];
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

/** The address of a server that the service opens. */
export interface ListenOptions {
  /** Name or IP address; default `127.0.0.1`. Empty: every interface. */
  readonly host?: string;
  /** Default 8000; 0 takes a free port. */
  readonly port?: number;
}

/** Options of {@link Msg.start}. */
export interface StartOptions extends MsgOptions {
  /** Opens a server of the service. */
  readonly listen?: ListenOptions;
  /** Handles the WebSocket upgrades of this server; mount {@link Msg.handler} for its requests. */
  readonly server?: Server;
}
