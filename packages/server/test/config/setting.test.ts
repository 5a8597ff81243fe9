import { resolveAll } from '@msg/command-line/internal';
import { describe, expect, test } from 'vitest';
import { parseRate } from '#src/config/rate.ts';
import { SERVE_SETTINGS } from '#src/config/serve-settings.ts';

const settle = (flags: Record<string, string>, env: Record<string, string> = {}) =>
  resolveAll(SERVE_SETTINGS, { flag: name => (flags[name] === undefined ? undefined : [flags[name]]), env });

describe('settings of serve', () => {
  test('the defaults of the specification', () => {
    expect(settle({})).toMatchObject({
      addr: ':8000',
      stateDir: '',
      mgmtSubject: 'operator',
      mgmtTtl: 86_400_000,
      keyringPoll: 5000,
      noAuth: false,
      allowedOrigins: [],
      metricsToken: '',
      publishRate: { rate: 0 },
      publishBurst: 0,
    });
  });

  test('a flag wins over the variable, the variable over the default, each for itself', () => {
    const env = { MSG_MGMT_SUBJECT: 'from-env', MSG_MGMT_TTL: '2h', MSG_STATE_DIR: '' };
    expect(settle({ '--mgmt-subject': 'from-flag' }, env)).toMatchObject({
      mgmtSubject: 'from-flag',
      mgmtTtl: 7_200_000,
      stateDir: '',
    });
  });

  test.each([
    ['1', true],
    ['T', true],
    ['true', true],
    ['Y', true],
    ['yes', true],
    ['ON', true],
    ['0', false],
    ['f', false],
    ['FALSE', false],
    ['n', false],
    ['no', false],
    ['off', false],
    ['', false],
  ])('MSG_NO_AUTH=%s is %s', (text, expected) => {
    expect(settle({}, { MSG_NO_AUTH: text }).noAuth).toBe(expected);
  });

  test.each([
    [{}, { MSG_NO_AUTH: 'maybe' }, 'MSG_NO_AUTH must be on or off; got "maybe"'],
    [{ '--mgmt-ttl': '1d' }, {}, '--mgmt-ttl must be a duration such as 1h30m; got "1d"'],
    [{ '--publish-burst': '-1' }, {}, '--publish-burst must be a whole number from 0 to 999999999; got "-1"'],
    [{}, { MSG_TOKEN_ISSUE_RATE: '5' }, 'MSG_TOKEN_ISSUE_RATE must be a rate such as 100/s'],
  ])('%j %j is refused by flag or variable', (flags, env, text) => {
    expect(() => settle(flags as Record<string, string>, env as Record<string, string>)).toThrow(text);
  });

  test('origins are a list in the environment', () => {
    expect(settle({}, { MSG_ALLOWED_ORIGINS: 'https://a.com, https://b.com,' }).allowedOrigins).toEqual([
      'https://a.com',
      'https://b.com',
    ]);
  });

  test('every setting has a key of its own, and secrets have no flag', () => {
    const settings = Object.values(SERVE_SETTINGS);
    expect(new Set(settings.map(setting => setting.key)).size).toBe(settings.length);
    expect(SERVE_SETTINGS.metricsToken).not.toHaveProperty('flag');
  });
});

test.each([
  ['100/s', 100, 1000],
  ['600/m', 600, 60_000],
  ['10/h', 10, 3_600_000],
  ['50/250ms', 50, 250],
  ['5/1m30s', 5, 90_000],
  ['-1/s', -1, 1000],
])('the rate %s', (text, rate, perMs) => {
  expect(parseRate(text)).toEqual({ rate, perMs });
});
