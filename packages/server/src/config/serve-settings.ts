import { choice, list, path, type Resolved, secret, setting, text, toggle } from '@msg/command-line';
import { API_KEY_SETTINGS } from './api-key-settings.ts';
import { API_SETTINGS } from './api-settings.ts';
import { CHANNEL_SETTINGS } from './channel-entries.ts';
import { CONSOLE_SETTINGS } from './console-settings.ts';
import { LIMIT_SETTINGS } from './limit-settings.ts';
import { listenAddress } from './listen-address-setting.ts';
import { OIDC_SETTINGS } from './oidc-settings.ts';
import { OPERATOR_SETTINGS } from './operator-settings.ts';
import { OUTBOX_SETTINGS } from './outbox-settings.ts';
import { RATE_SETTINGS } from './rate-settings.ts';
import { REDIS_SETTINGS } from './redis-settings.ts';
import { SCHEMA_SETTINGS } from './schema-settings.ts';
import { duration, positiveDuration, share, threads } from './setting-types.ts';
import { SINK_SETTINGS } from './sink-settings.ts';
import { WEBTRANSPORT_SETTINGS } from './webtransport-settings.ts';

const HOUR_MS = 3_600_000;

/**
 * The settings of `serve`. Source: the specification, "Process configuration"; messaging details 16.3 and 17.
 */
export const SERVE_SETTINGS = {
  addr: setting('server.addr', listenAddress, ':8000', 'listen address, host:port; port 0 takes a free one', {
    flag: '--addr',
    short: '-a',
  }),
  stateDir: setting(
    'auth.state_dir',
    path,
    '',
    'directory of keyring.json; empty: the keys end with the process',
    { flag: '--state-dir', env: 'MSG_STATE_DIR' },
  ),
  mgmtSubject: setting('auth.mgmt_subject', text, 'operator', 'subject of the bootstrap management token', {
    flag: '--mgmt-subject',
    env: 'MSG_MGMT_SUBJECT',
  }),
  mgmtTtl: setting('auth.mgmt_ttl', duration, 24 * HOUR_MS, 'lifetime of the bootstrap management token', {
    flag: '--mgmt-ttl',
    env: 'MSG_MGMT_TTL',
  }),
  maxSessionTtl: setting(
    'auth.max_session_ttl',
    positiveDuration,
    720 * HOUR_MS,
    'longest session that IssueAccess gives tokens for',
    { flag: '--max-session-ttl', env: 'MSG_MAX_SESSION_TTL' },
  ),
  noAuth: setting(
    'server.no_auth',
    toggle,
    false,
    'no bearer check on the management RPC; development only',
    { flag: '--no-auth', env: 'MSG_NO_AUTH' },
  ),
  dev: setting(
    'server.dev',
    toggle,
    false,
    "for a developer's machine: loopback only, pages of any loopback origin, state in .msg, strict requests",
    { flag: '--dev', env: 'MSG_DEV' },
  ),
  strictRequests: setting(
    'rpc.strict',
    toggle,
    false,
    'RPC requests with unknown members are refused by every method, not only where credentials are handed out',
    { flag: '--rpc-strict', env: 'MSG_RPC_STRICT' },
  ),
  pingInterval: setting(
    'server.ping.interval',
    positiveDuration,
    25_000,
    'between pings of the server to its clients',
    { flag: '--ping-interval', env: 'MSG_PING_INTERVAL' },
  ),
  pingTimeout: setting(
    'server.ping.timeout',
    positiveDuration,
    8000,
    'how long a pong is waited for, less than the interval; beyond, disconnect 3012',
    { flag: '--ping-timeout', env: 'MSG_PING_TIMEOUT' },
  ),
  openApi: setting(
    'server.openapi',
    toggle,
    false,
    'serve the OpenAPI document of the RPC, and of the HTTP API while it is on, at /openapi.json',
    { flag: '--openapi', env: 'MSG_OPENAPI' },
  ),
  accessLog: setting(
    'observability.access_log',
    choice('on', 'sampled', 'off'),
    'on',
    'which requests have a record in the log; sampled: a share of the successes, and all failures',
    { flag: '--access-log', env: 'MSG_ACCESS_LOG' },
  ),
  accessLogSample: setting(
    'observability.access_log_sample',
    share,
    0.01,
    'share of the successes that is logged when access_log is sampled, 0 to 1',
    { flag: '--access-log-sample', env: 'MSG_ACCESS_LOG_SAMPLE' },
  ),
  keyringPoll: setting(
    'auth.keyring_poll',
    duration,
    5000,
    'how often the stored keyring is looked at for changes; 0 never',
    { flag: '--keyring-poll', env: 'MSG_KEYRING_POLL' },
  ),
  threads: setting(
    'server.threads',
    threads,
    1,
    'threads that hold connections, 1 to 32; auto: one for each core, at most 8, fewer where memory is limited',
    { flag: '--threads', env: 'MSG_THREADS' },
  ),
  drainWindow: setting(
    'server.drain_window',
    duration,
    0,
    'a stop first turns /readyz red and sends the clients elsewhere, spread over this time; 0: all at once',
    { flag: '--drain-window', env: 'MSG_DRAIN_WINDOW' },
  ),
  rebalanceWindow: setting(
    'server.rebalance_window',
    duration,
    0,
    'a node with more than its share of the clients of all nodes sends the rest elsewhere, spread over this time; 0: never',
    { flag: '--rebalance-window', env: 'MSG_REBALANCE_WINDOW' },
  ),
  allowedOrigins: setting(
    'server.allowed_origins',
    list,
    [],
    'browser origin that may connect: https://host, https://*.host, loopback or *; repeatable',
    { flag: '--allowed-origin', env: 'MSG_ALLOWED_ORIGINS' },
  ),
  allowedHosts: setting(
    'server.allowed_hosts',
    list,
    [],
    'name that requests may have as Host, besides loopback names: example.com, *.example.com or *; repeatable; none: any, on a loopback address loopback names alone',
    { flag: '--allowed-host', env: 'MSG_ALLOWED_HOSTS' },
  ),
  basePath: setting(
    'server.base_path',
    text,
    '',
    'path below which everything of the service is, as /rt; empty: the root',
    { flag: '--base-path', env: 'MSG_BASE_PATH' },
  ),
  clientScript: setting(
    'server.client_script',
    toggle,
    true,
    'serves the browser wrapper to pages without a bundler, as /msg.js and /msg.mjs',
    { flag: '--client-script', env: 'MSG_CLIENT_SCRIPT', placeholder: 'on|off' },
  ),
  metricsToken: setting(
    'observability.metrics_bearer_token',
    secret,
    '',
    'bearer that /metrics asks for; empty: none',
    { env: 'MSG_METRICS_TOKEN' },
  ),
  otlpEndpoint: setting(
    'observability.otlp_endpoint',
    text,
    '',
    'collector that traces are sent to over OTLP/HTTP: http://collector:4318; empty: no tracing',
    { env: 'MSG_OTLP_ENDPOINT' },
  ),
  trustedProxies: setting(
    'observability.trusted_proxies',
    list,
    [],
    'address ranges of proxies whose X-Forwarded-For or Forwarded is believed',
  ),
  sweepInterval: setting(
    'manager.sweep_interval',
    positiveDuration,
    30_000,
    'how often idle channels are looked for',
  ),
  revocation: setting(
    'auth.revocation',
    choice('auto', 'none'),
    'auto',
    'where revocations are kept; none: nothing can be revoked',
  ),
  ...API_KEY_SETTINGS,
  ...API_SETTINGS,
  ...LIMIT_SETTINGS,
  ...WEBTRANSPORT_SETTINGS,
  ...SCHEMA_SETTINGS,
  ...OIDC_SETTINGS,
  ...OPERATOR_SETTINGS,
  ...CONSOLE_SETTINGS,
  ...REDIS_SETTINGS,
  ...SINK_SETTINGS,
  ...OUTBOX_SETTINGS,
  ...CHANNEL_SETTINGS,
  region: setting('region', text, '', 'label of this deployment in the manifest and in log records'),
  peers: setting('peers', list, [], 'addresses of other deployments, shown in the manifest'),
  ...RATE_SETTINGS,
} as const;

/** The configuration file itself; it has no key in the file. */
export const CONFIG_SETTINGS = {
  config: setting('config', text, '', 'YAML configuration file', {
    flag: '--config',
    short: '-c',
    env: 'MSG_CONFIG',
  }),
} as const;

export type ServeSettings = Resolved<typeof SERVE_SETTINGS>;
