import { type RateSetting, rate } from './rate.ts';
import { count, duration, list, type Setting, type Settled, text, toggle } from './setting.ts';

const HOUR_MS = 3_600_000;

/** The two settings of a rate-limit bucket: `<name>Rate` and `<name>Burst`. */
function bucket<N extends string>(name: N, word: string, what: string) {
  const key = `rate_limits.${word.replace('-', '_')}`;
  const variable = `MSG_${word.replace('-', '_').toUpperCase()}`;
  const rateSetting: Setting<RateSetting> = {
    key,
    flag: `--${word}-rate`,
    env: `${variable}_RATE`,
    type: rate,
    fallback: { rate: 0, perMs: 0 },
    help: `${what}, as N/window: 100/s, 600/m, 50/250ms; 0 or less is unlimited`,
  };
  const burstSetting: Setting<number> = {
    key: `${key}.burst`,
    flag: `--${word}-burst`,
    env: `${variable}_BURST`,
    type: count,
    fallback: 0,
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
    type: text,
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
  keyringPoll: {
    key: 'auth.keyring_poll',
    flag: '--keyring-poll',
    env: 'MSG_KEYRING_POLL',
    type: duration,
    fallback: 5000,
    help: 'how often keyring.json is looked at for changes; 0 never',
  } satisfies Setting<number>,
  allowedOrigins: {
    key: 'server.allowed_origins',
    flag: '--allowed-origin',
    env: 'MSG_ALLOWED_ORIGINS',
    type: list,
    fallback: [],
    help: 'browser origin that may connect: https://host, https://*.host or *; repeatable',
  } satisfies Setting<readonly string[]>,
  metricsToken: {
    key: 'observability.metrics_bearer_token',
    env: 'MSG_METRICS_TOKEN',
    type: text,
    fallback: '',
    help: 'bearer that /metrics asks for',
  } satisfies Setting<string>,
  ...bucket('publish', 'publish', 'publishes of one subject'),
  ...bucket('subscribe', 'subscribe', 'subscribes of one user'),
  ...bucket('tokenIssue', 'token-issue', 'refreshes from one address'),
} as const;

export type ServeSettings = Settled<typeof SERVE_SETTINGS>;
