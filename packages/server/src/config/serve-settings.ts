import {
  choice,
  count,
  list,
  path,
  type Resolved,
  type Setting,
  secret,
  text,
  toggle,
} from '@msg/command-line';
import { CHANNEL_SETTINGS } from './channel-entries.ts';
import { LIMIT_SETTINGS } from './limit-settings.ts';
import { OIDC_SETTINGS } from './oidc-settings.ts';
import { type PublishRuleEntry, publishRules } from './publish-rules.ts';
import { type RateSetting, rate } from './rate.ts';
import { REDIS_SETTINGS } from './redis-settings.ts';
import { SCHEMA_SETTINGS } from './schema-settings.ts';
import { duration, positiveDuration } from './setting-types.ts';
import { SINK_SETTINGS } from './sink-settings.ts';
import { WEBTRANSPORT_SETTINGS } from './webtransport-settings.ts';

const HOUR_MS = 3_600_000;

/** The two settings of a rate-limit bucket: `<name>Rate` and `<name>Burst`. */
function bucket<N extends string>(
  name: N,
  word: string,
  what: string,
  fallback = { rate: 0, perMs: 0, burst: 0 },
) {
  const key = `rate_limits.${word.replace('-', '_')}`;
  const variable = `MSG_${word.replace('-', '_').toUpperCase()}`;
  const rateSetting: Setting<RateSetting> = {
    key: `${key}.rate`,
    flag: `--${word}-rate`,
    env: `${variable}_RATE`,
    type: rate,
    fallback: { rate: fallback.rate, perMs: fallback.perMs },
    help: `${what}, as N/window: 100/s, 600/m, 50/250ms; 0 or less is unlimited`,
  };
  const burstSetting: Setting<number> = {
    key: `${key}.burst`,
    flag: `--${word}-burst`,
    env: `${variable}_BURST`,
    type: count,
    fallback: fallback.burst,
    help: `${what} allowed at once; 0 means as many as the rate`,
  };
  return { [`${name}Rate`]: rateSetting, [`${name}Burst`]: burstSetting } as {
    // Computed names lose their type; these are the two members built here.
    readonly [K in `${N}Rate` | `${N}Burst`]: K extends `${N}Rate` ? Setting<RateSetting> : Setting<number>;
  };
}

/**
 * The settings of `serve`. Source: the specification, "Process configuration"; messaging details 16.3 and 17.
 */
export const SERVE_SETTINGS = {
  addr: {
    key: 'server.addr',
    flag: '--addr',
    short: '-a',
    type: text,
    fallback: ':8000',
    help: 'listen address, host:port; port 0 takes a free one',
  } satisfies Setting<string>,
  stateDir: {
    key: 'auth.state_dir',
    flag: '--state-dir',
    env: 'MSG_STATE_DIR',
    type: path,
    fallback: '',
    help: 'directory of keyring.json; empty: the keys end with the process',
  } satisfies Setting<string>,
  mgmtSubject: {
    key: 'auth.mgmt_subject',
    flag: '--mgmt-subject',
    env: 'MSG_MGMT_SUBJECT',
    type: text,
    fallback: 'operator',
    help: 'subject of the bootstrap management token',
  } satisfies Setting<string>,
  mgmtTtl: {
    key: 'auth.mgmt_ttl',
    flag: '--mgmt-ttl',
    env: 'MSG_MGMT_TTL',
    type: duration,
    fallback: 24 * HOUR_MS,
    help: 'lifetime of the bootstrap management token',
  } satisfies Setting<number>,
  noAuth: {
    key: 'server.no_auth',
    flag: '--no-auth',
    env: 'MSG_NO_AUTH',
    type: toggle,
    fallback: false,
    help: 'no bearer check on the management RPC; development only',
  } satisfies Setting<boolean>,
  dev: {
    key: 'server.dev',
    flag: '--dev',
    env: 'MSG_DEV',
    type: toggle,
    fallback: false,
    help: "for a developer's machine: loopback only, pages of any loopback origin, state in .msg, strict requests",
  } satisfies Setting<boolean>,
  strictRequests: {
    key: 'rpc.strict',
    flag: '--rpc-strict',
    env: 'MSG_RPC_STRICT',
    type: toggle,
    fallback: false,
    help: 'RPC requests with unknown members are refused by every method, not only where credentials are handed out',
  } satisfies Setting<boolean>,
  keyringPoll: {
    key: 'auth.keyring_poll',
    flag: '--keyring-poll',
    env: 'MSG_KEYRING_POLL',
    type: duration,
    fallback: 5000,
    help: 'how often the stored keyring is looked at for changes; 0 never',
  } satisfies Setting<number>,
  drainWindow: {
    key: 'server.drain_window',
    flag: '--drain-window',
    env: 'MSG_DRAIN_WINDOW',
    type: duration,
    fallback: 0,
    help: 'a stop first turns /readyz red and sends the clients elsewhere, spread over this time; 0: all at once',
  } satisfies Setting<number>,
  allowedOrigins: {
    key: 'server.allowed_origins',
    flag: '--allowed-origin',
    env: 'MSG_ALLOWED_ORIGINS',
    type: list,
    fallback: [],
    help: 'browser origin that may connect: https://host, https://*.host, loopback or *; repeatable',
  } satisfies Setting<readonly string[]>,
  allowedHosts: {
    key: 'server.allowed_hosts',
    flag: '--allowed-host',
    env: 'MSG_ALLOWED_HOSTS',
    type: list,
    fallback: [],
    help: 'name that requests may have as Host, besides loopback names: example.com, *.example.com or *; repeatable; none: any, on a loopback address loopback names alone',
  } satisfies Setting<readonly string[]>,
  metricsToken: {
    key: 'observability.metrics_bearer_token',
    env: 'MSG_METRICS_TOKEN',
    type: secret,
    fallback: '',
    help: 'bearer that /metrics asks for; empty: none',
  } satisfies Setting<string>,
  otlpEndpoint: {
    key: 'observability.otlp_endpoint',
    env: 'MSG_OTLP_ENDPOINT',
    type: text,
    fallback: '',
    help: 'collector that traces are sent to over OTLP/HTTP: http://collector:4318; empty: no tracing',
  } satisfies Setting<string>,
  trustedProxies: {
    key: 'observability.trusted_proxies',
    type: list,
    fallback: [],
    help: 'address ranges of proxies whose X-Forwarded-For or Forwarded is believed',
  } satisfies Setting<readonly string[]>,
  sweepInterval: {
    key: 'manager.sweep_interval',
    type: positiveDuration,
    fallback: 30_000,
    help: 'how often idle channels are looked for',
  } satisfies Setting<number>,
  revocation: {
    key: 'auth.revocation',
    type: choice('auto', 'none'),
    fallback: 'auto',
    help: 'where revocations are kept; none: nothing can be revoked',
  } satisfies Setting<'auto' | 'none'>,
  ...LIMIT_SETTINGS,
  ...WEBTRANSPORT_SETTINGS,
  ...SCHEMA_SETTINGS,
  ...OIDC_SETTINGS,
  ...REDIS_SETTINGS,
  ...SINK_SETTINGS,
  ...CHANNEL_SETTINGS,
  region: {
    key: 'region',
    type: text,
    fallback: '',
    help: 'label of this deployment in the manifest and in log records',
  } satisfies Setting<string>,
  peers: {
    key: 'peers',
    type: list,
    fallback: [],
    help: 'addresses of other deployments, shown in the manifest',
  } satisfies Setting<readonly string[]>,
  ...bucket('publish', 'publish', 'publishes of one subject'),
  ...bucket('subscribe', 'subscribe', 'subscribes of one user'),
  ...bucket('tokenIssue', 'token-issue', 'refreshes from one address'),
  ...bucket('open', 'open', 'declared channels that one client opens by using them', {
    rate: 10,
    perMs: 1000,
    burst: 50,
  }),
  perChannelPublish: {
    key: 'rate_limits.per_channel_publish',
    type: publishRules,
    fallback: [],
    help: 'publish limits by channel pattern, besides the general one',
  } satisfies Setting<readonly PublishRuleEntry[]>,
} as const;

/** The configuration file itself; it has no key in the file. */
export const CONFIG_SETTINGS = {
  config: {
    key: 'config',
    flag: '--config',
    short: '-c',
    env: 'MSG_CONFIG',
    type: text,
    fallback: '',
    help: 'YAML configuration file',
  } satisfies Setting<string>,
} as const;

export type ServeSettings = Resolved<typeof SERVE_SETTINGS>;
