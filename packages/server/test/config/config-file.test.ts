// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of configuration files look like that
import { UsageError } from '@msg/command-line';
import { resolveAll, resolveFrom } from '@msg/command-line/internal';
import { describe, expect, test } from 'vitest';
import { readConfigFile } from '#src/config/config-file.ts';
import { SERVE_SETTINGS } from '#src/config/serve-settings.ts';

interface Outside {
  readonly flags?: Readonly<Record<string, readonly string[]>>;
  readonly env?: Readonly<Record<string, string>>;
}

const sources = (source: string, { flags = {}, env = {} }: Outside = {}) => ({
  flag: (name: string) => flags[name],
  env,
  file: readConfigFile({ path: '/etc/msg/msg.yaml', source, env }, SERVE_SETTINGS),
});
const settle = (source: string, outside?: Outside) => resolveAll(SERVE_SETTINGS, sources(source, outside));

describe('a configuration file', () => {
  test('sets every kind of value', () => {
    const settings = settle(`
server: { addr: "127.0.0.1:9000", no_auth: yes, allowed_origins: ["https://a.com", "https://*.b.com"] }
auth:
  state_dir: state
  mgmt_ttl: 1h30m
  keyring_poll: 0
  revocation: none
  oidc:
    issuer: https://idp.example.com
    audience: msg
    grants:
      - { if_group: admins, scope: "*:**", verbs: [manage, publish] }
manager:
  sweep_interval: 250ms
channels:
  - pattern: public:app.**
    history_size: 0
    recovery: cache
    join_leave: true
rate_limits:
  publish: { rate: 5, per: 2s, burst: 7 }
observability:
  metrics_bearer_token: "s3"
  trusted_proxies: [10.0.0.0/8]
region: eu
peers: ["https://us.example.com"]
`);
    expect(settings).toMatchObject({
      addr: '127.0.0.1:9000',
      noAuth: true,
      allowedOrigins: ['https://a.com', 'https://*.b.com'],
      stateDir: '/etc/msg/state',
      mgmtTtl: 5_400_000,
      keyringPoll: 0,
      revocation: 'none',
      oidcIssuer: 'https://idp.example.com',
      oidcGrants: [{ if_group: 'admins', scope: '*:**', verbs: ['manage', 'publish'] }],
      sweepInterval: 250,
      channelRules: [{ pattern: 'public:app.**', history_size: 0, recovery: 'cache', join_leave: true }],
      publishRate: { rate: 5, perMs: 2000 },
      publishBurst: 7,
      metricsToken: 's3',
      trustedProxies: ['10.0.0.0/8'],
      region: 'eu',
      peers: ['https://us.example.com'],
    });
  });

  test('channels may be a mapping of rules, declared channels and what keeps them open', () => {
    expect(
      settle(`
channels:
  rules: [{ pattern: "public:a.*", presence: on }]
  open:
    - { name: public:a.b, ttl: never, history_size: 5 }
    - { pattern: "public:c.**", ttl: 2h }
  keep_open_while_subscribed: true
`),
    ).toMatchObject({
      channelRules: [{ pattern: 'public:a.*', presence: true }],
      openChannels: [
        { name: 'public:a.b', ttl: Number.POSITIVE_INFINITY, history_size: 5 },
        { pattern: 'public:c.**', ttl: 7_200_000 },
      ],
      keepOpenWhileSubscribed: true,
    });
  });

  test.each(['', '# nothing\n', 'auth:\n', 'auth:\n  oidc:\n  mgmt_ttl:\n'])('%j changes nothing', source => {
    expect(settle(source)).toEqual(settle(''));
  });

  test('flag, variable, file, default: each value is settled at exactly one layer', () => {
    const file = 'auth: { mgmt_subject: file, mgmt_ttl: 2h, keyring_poll: 1s }\nserver: { no_auth: true }\n';
    const from = sources(file, {
      flags: { '--mgmt-subject': ['flag'] },
      env: { MSG_MGMT_SUBJECT: 'env', MSG_MGMT_TTL: '3h', MSG_NO_AUTH: '' },
    });
    expect(resolveFrom(SERVE_SETTINGS.mgmtSubject, from)).toEqual({ value: 'flag', layer: 'flag' });
    expect(resolveFrom(SERVE_SETTINGS.mgmtTtl, from)).toEqual({ value: 3 * 3_600_000, layer: 'env' });
    expect(resolveFrom(SERVE_SETTINGS.noAuth, from)).toEqual({ value: false, layer: 'env' });
    expect(resolveFrom(SERVE_SETTINGS.keyringPoll, from)).toEqual({ value: 1000, layer: 'file' });
    expect(resolveFrom(SERVE_SETTINGS.addr, from)).toEqual({ value: ':8000', layer: 'default' });
  });

  test('a rate flag replaces rate and window of its own bucket, a burst variable only the burst', () => {
    const file = `rate_limits:
  publish: { rate: 5, per: 2s, burst: 7 }
  subscribe: { rate: 1, per: 1s, burst: 2 }
`;
    const outside = { flags: { '--publish-rate': ['9/m'] }, env: { MSG_SUBSCRIBE_BURST: '4' } };
    expect(settle(file, outside)).toMatchObject({
      publishRate: { rate: 9, perMs: 60_000 },
      publishBurst: 7,
      subscribeRate: { rate: 1, perMs: 1000 },
      subscribeBurst: 4,
    });
  });

  test('references to the environment are replaced in strings, unset ones by nothing', () => {
    const file = 'auth: { mgmt_subject: "a-${WHO}-${NOBODY}", mgmt_ttl: "${TTL}" }\nregion: "${lower}"\n';
    expect(settle(file, { env: { WHO: 'ops', TTL: '5h' } })).toMatchObject({
      mgmtSubject: 'a-ops-',
      mgmtTtl: 5 * 3_600_000,
      region: '${lower}',
    });
  });

  test.each([
    ['sever: {}', 'key "sever" does not exist; did you mean server? (/etc/msg/msg.yaml:1)'],
    [
      'auth:\n  mgmt_tll: 1h',
      'key "auth.mgmt_tll" does not exist; did you mean auth.mgmt_ttl? (/etc/msg/msg.yaml:2)',
    ],
    ['auth: { zzzzzz: 1 }', 'key "auth.zzzzzz" does not exist (/etc/msg/msg.yaml:1)'],
    ['redis: { address: x }', 'key "redis.address" does not exist'],
    [
      'redis: { sharded_pubsub_partitions: -1 }',
      'redis.sharded_pubsub_partitions must be a whole number from 0 to 999999999; got "-1"',
    ],
    ['server:\n  admin_ui:\n    on: true', 'key "server.admin_ui.on" does not exist'],
    [
      'channels:\n  - pattern: public:a.b\n    histroy_size: 3',
      'key "channels[0].histroy_size" does not exist; did you mean channels[0].history_size? (/etc/msg/msg.yaml:3)',
    ],
    [
      'channels: { opne: [] }',
      'key "channels.opne" does not exist; did you mean channels.open? (/etc/msg/msg.yaml:1)',
    ],
    ['channels: 3', 'channels must be a list; got a scalar (/etc/msg/msg.yaml:1)'],
    [
      'channels: { open: [{ name: "public:a.b", ttl: soon }] }',
      'channels.open[0].ttl must be a duration above 0 such as 30m, or never; got "soon" (/etc/msg/msg.yaml:1)',
    ],
    ['channels:\n  - history_size: 3', 'channels[0].pattern is required (/etc/msg/msg.yaml:2)'],
    [
      'channels: [{pattern: "a"}]',
      'channels[0].pattern must be a pattern such as public:app.** or private:app.order.*; got "a"',
    ],
    [
      'auth: { mgmt_ttl: 1d }',
      'auth.mgmt_ttl must be a duration such as 1h30m; got "1d" (/etc/msg/msg.yaml:1)',
    ],
    ['auth: { mgmt_ttl: 5 }', 'auth.mgmt_ttl must be a duration such as 1h30m; got "5"'],
    ['auth: { mgmt_ttl: [1h] }', 'auth.mgmt_ttl must be a duration such as 1h30m; got a list'],
    ['auth: [1]', 'auth must be a map; got a list'],
    ['- 1', 'config must be a map; got a list'],
    [
      'manager: { sweep_interval: 0s }',
      'manager.sweep_interval must be a duration above 0 such as 1h30m; got "0s"',
    ],
    ['rate_limits:\n  publish:\n    rate: 5', 'rate_limits.publish.per is required when rate is set'],
    ['rate_limits: { publish: { rate: 5, per: 0s } }', 'rate_limits.publish.per must be a duration above 0'],
    [
      'rate_limits: { per_channel_publish: [{ pattern: "public:**", rate: 5 }] }',
      'rate_limits.per_channel_publish[0].per is required when rate is set',
    ],
    ['rate_limits: { publish: 5/s }', 'rate_limits.publish must be a map'],
    ['server: { allowed_origins: "https://a.com" }', 'server.allowed_origins must be a list'],
    ['auth: { revocation: maybe }', 'auth.revocation must be one of auto, none; got "maybe"'],
    [
      'auth: { oidc: { grants: [{ if_group: a, scope: "public:**", verbs: [] }] } }',
      'verbs must hold at least one verb',
    ],
    [
      'auth: { oidc: { grants: [{ if_group: a, scope: "public:**" }] } }',
      'auth.oidc.grants[0].verbs is required',
    ],
    [
      'auth: { oidc: { grants: [{ if_group: a, scope: "any:**", verbs: [manage] }] } }',
      'grants[0].scope must be a pattern',
    ],
    [
      'auth: { oidc: { grants: [{ if_group: a, scope: "public:**", verbs: [read] }] } }',
      'verbs[0] must be one of',
    ],
    ['observability: { metrics_bearer_token: "${NONE}" }', 'metrics_bearer_token is empty because'],
    ['region: a\nregion: b', 'config must be YAML: '],
    ['auth: {', 'config must be YAML: '],
    ['region: !secret x', 'config must be YAML: '],
  ])('%j is refused with the place of the fault', (source, problem) => {
    expect(() => settle(source)).toThrow(UsageError);
    expect(() => settle(source)).toThrow(problem);
  });

  test('aliases stand for what they name', () => {
    expect(settle('region: &where eu\nauth: { mgmt_subject: *where }\n').mgmtSubject).toBe('eu');
  });
});
