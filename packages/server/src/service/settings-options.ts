import { MsgError } from '@msg/core';
import { type Clock, systemClock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import type { ApiOptions } from '../api/options.ts';
import type { OidcOptions } from '../auth/access/oidc/options.ts';
import type { ChannelOptions, ChannelRule } from '../channels/channel-options.ts';
import { OPTION_NAMES } from '../channels/explained-options.ts';
import type { ChannelsOptions } from '../channels/options.ts';
import type { ChannelEntry } from '../config/channel-entries.ts';
import type { ServeSettings } from '../config/serve-settings.ts';
import type { WebTransportOptions } from '../http/options.ts';
import type { SinkRetryOptions } from '../notify/sinks/retry-policy.ts';
import type { Logger } from '../observability/logger.ts';
import type { RateLimitOptions } from '../rate-limits/rate-limits.ts';
import { apiKeysOfFile, configuredApiKey } from './configured-api-keys.ts';
import { configuredRetry, configuredSink } from './configured-sinks.ts';
import { consoleOptions } from './console-options.ts';
import type { MsgLimits } from './engine-limits.ts';
import type { MsgOptions } from './options.ts';
import { outboxOptions } from './outbox-options.ts';
import { redisOptions } from './redis-options.ts';

/** Resolved settings of `serve`, with their file. */
export interface ServeConfig {
  readonly settings: ServeSettings;
  /** Path of the file; absent without one. */
  readonly source?: string | undefined;
}

/** Every member beside a pattern in `channels[]` has its option. */
const CHANNEL_OPTIONS = OPTION_NAMES satisfies Record<
  Exclude<keyof ChannelEntry, 'pattern'>,
  Exclude<keyof ChannelRule, 'pattern'>
>;

function channelOptions(entry: Omit<ChannelEntry, 'pattern'>): Partial<ChannelOptions> {
  const named = Object.entries(CHANNEL_OPTIONS).flatMap(([key, name]) => {
    const value = entry[key as keyof typeof CHANNEL_OPTIONS]; // a key of the literal above
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(named);
}

function channelsOptions(settings: ServeSettings): ChannelsOptions {
  return {
    rules: settings.channelRules.map(entry => ({ pattern: entry.pattern, ...channelOptions(entry) })),
    open: settings.openChannels.map(entry => ({
      ...defined({ name: entry.name, pattern: entry.pattern, ttlMs: entry.ttl }),
      ...channelOptions(entry),
    })),
    keepOpenWhileSubscribed: settings.keepOpenWhileSubscribed,
  };
}

/** The bridge's options; `undefined` without an issuer. */
export function oidcOptions(settings: ServeSettings): OidcOptions | undefined {
  if (settings.oidcIssuer === '') return undefined;
  return {
    issuer: settings.oidcIssuer,
    audience: settings.oidcAudience,
    subjectClaim: settings.oidcSubjectClaim,
    scopesClaim: settings.oidcScopesClaim,
    grants: settings.oidcGrants.map(({ if_group, scope, verbs }) => ({ ifGroup: if_group, scope, verbs })),
    roles: settings.oidcRoles.map(({ if_group, role }) => ({ ifGroup: if_group, role })),
    allowAll: settings.oidcAllowAll,
  };
}

/**
 * The listener's options; `undefined` when it is off.
 * @throws MsgError MSG_INVALID_ARGUMENT for incomplete options
 */
function webtransportOptions(settings: ServeSettings): WebTransportOptions | undefined {
  const { webtransportEnabled, webtransportAddr: addr } = settings;
  const parts = { addr, cert_file: settings.webtransportCert, key_file: settings.webtransportKey };
  const isWanted = webtransportEnabled || addr !== '';
  const wrong = Object.entries(parts).find(([, value]) => (value !== '') !== isWanted);
  if (wrong !== undefined) {
    const text = isWanted ? 'is required for the WebTransport listener' : 'needs server.webtransport.addr';
    throw new MsgError('MSG_INVALID_ARGUMENT', `server.webtransport.${wrong[0]}: ${text}`);
  }
  if (!isWanted) return undefined;
  const { cert_file: certFile, key_file: keyFile } = parts;
  return { addr, certFile, keyFile, allowedOrigins: settings.webtransportOrigins };
}

function apiOptions(settings: ServeSettings): ApiOptions {
  return {
    enabled: settings.apiEnabled,
    path: settings.apiPath,
    openChannels: settings.apiOpenChannels,
    bareNames: settings.apiBareNames,
    errorMode: settings.apiErrorMode,
    maxBatch: settings.apiMaxBatch,
    maxChannels: settings.apiMaxChannels,
    allowQueryKey: settings.apiQueryKey,
  };
}

function sinkRetry(settings: ServeSettings): SinkRetryOptions {
  const perSink = [...settings.sinkRetryPerSink].map(([name, entry]) => [name, configuredRetry(entry)]);
  return {
    maxAttempts: settings.sinkMaxAttempts,
    baseBackoff: settings.sinkBaseBackoff,
    maxBackoff: settings.sinkMaxBackoff,
    jitterFraction: settings.sinkJitterFraction,
    perSink: Object.fromEntries(perSink),
  };
}

function limitOptions(settings: ServeSettings): MsgLimits {
  return {
    messageBytes: settings.messageBytes,
    subscriptionsPerConnection: settings.subscriptionsPerConnection,
    channelNameBytes: settings.channelNameBytes,
    queueBytes: settings.queueBytes,
    connections: settings.connections,
    connectionsPerAddress: settings.connectionsPerAddress,
    historyItems: settings.historyItems,
    appendStreams: settings.appendStreams,
    bodyBytes: settings.bodyBytes,
  };
}

function rateLimitOptions(settings: ServeSettings): RateLimitOptions {
  return {
    publish: { ...settings.publishRate, burst: settings.publishBurst },
    subscribe: { ...settings.subscribeRate, burst: settings.subscribeBurst },
    tokenIssue: { ...settings.tokenIssueRate, burst: settings.tokenIssueBurst },
    open: { ...settings.openRate, burst: settings.openBurst },
    append: { ...settings.appendRate, burst: settings.appendBurst },
    perChannelPublish: settings.perChannelPublish.map(({ pattern, rate, burst = 0 }) => ({
      pattern,
      ...rate,
      burst,
    })),
  };
}

/**
 * The library's options for resolved settings; the kinds of the sinks are loaded.
 * @throws MsgError with the wrong key
 */
export async function msgOptions(
  { settings, source }: ServeConfig,
  {
    logger,
    clock = systemClock,
    isLoopback = false,
  }: {
    readonly logger: Logger;
    readonly clock?: Clock | undefined;
    /** The listener has a loopback address. */
    readonly isLoopback?: boolean;
  },
): Promise<MsgOptions> {
  const oidc = oidcOptions(settings);
  const redis = redisOptions(settings);
  const webtransport = webtransportOptions(settings);
  const outbox = await outboxOptions(settings);
  return {
    ...defined({ outbox }),
    stateDir: settings.stateDir,
    keyringPollMs: settings.keyringPoll,
    maxSessionTtlMs: settings.maxSessionTtl,
    apiKeys: settings.apiKeys.map(configuredApiKey),
    api: apiOptions(settings),
    noAuth: settings.noAuth,
    viewerPayloads: settings.viewerPayloads,
    audit: { strict: settings.auditStrict, ring: settings.auditRing, channel: settings.auditChannel },
    console: consoleOptions(settings, isLoopback),
    strictRequests: settings.strictRequests,
    allowedOrigins: settings.allowedOrigins,
    ...defined({ allowedHosts: settings.allowedHosts.length === 0 ? undefined : settings.allowedHosts }),
    trustedProxies: settings.trustedProxies,
    limits: limitOptions(settings),
    ping: { intervalMs: settings.pingInterval, timeoutMs: settings.pingTimeout },
    accessLog: { mode: settings.accessLog, sample: settings.accessLogSample },
    openApi: settings.openApi,
    metricsToken: settings.metricsToken,
    clientScript: settings.clientScript,
    basePath: settings.basePath,
    otlpEndpoint: settings.otlpEndpoint,
    sweepIntervalMs: settings.sweepInterval,
    drainWindowMs: settings.drainWindow,
    rebalanceWindowMs: settings.rebalanceWindow,
    channels: channelsOptions(settings),
    sinks: await Promise.all(
      [...settings.sinks].map(([name, entry]) =>
        configuredSink(name, entry, { clock, privateUrls: settings.privateSinkUrls }),
      ),
    ),
    sinkRetry: sinkRetry(settings),
    schemaValidation: settings.schemaValidation,
    ...defined({ schemasFile: settings.schemasFile === '' ? undefined : settings.schemasFile }),
    rateLimits: rateLimitOptions(settings),
    ...defined({
      revocationStore: settings.revocation === 'none' ? undefined : ('auto' as const),
      redis,
      webtransport,
      nodeId: settings.nodeId === '' ? undefined : settings.nodeId,
      oidc,
      configSource: source,
      rereadApiKeys: source === undefined ? undefined : apiKeysOfFile(source),
    }),
    region: settings.region,
    peers: settings.peers,
    logger,
  };
}
