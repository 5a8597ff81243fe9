import { choice, type SettingType, scalarType, secret, setting, text } from '@msg/command-line';
import { ROLES } from '@msg/core/internal';
import { positiveDuration } from './setting-types.ts';

/** When the console is served; `auto`: on a loopback address without trusted proxies. */
export type ConsoleSwitch = 'auto' | 'on' | 'off';

const SWITCH: Readonly<Record<string, ConsoleSwitch>> = {
  auto: 'auto',
  on: 'on',
  off: 'off',
  true: 'on',
  false: 'off',
};

function readSwitch(value: string): ConsoleSwitch | undefined {
  return Object.hasOwn(SWITCH, value) ? SWITCH[value] : undefined;
}

const consoleSwitch: SettingType<ConsoleSwitch> = scalarType<ConsoleSwitch>({
  placeholder: 'auto|on|off',
  parse: readSwitch,
  format: value => value,
  expected: 'auto, on or off',
  schema: { enum: ['auto', 'on', 'off', true, false] },
});

const otherSwitch: SettingType<ConsoleSwitch | undefined> = scalarType<ConsoleSwitch | undefined>({
  placeholder: 'on|off',
  parse: value => (value === 'auto' ? undefined : readSwitch(value)),
  format: value => value ?? '',
  show: value => value ?? null,
  expected: 'on or off',
  schema: { enum: ['on', 'off', true, false] },
});

const HOUR_MS = 3_600_000;

/** The console (console, section 3). */
export const CONSOLE_SETTINGS = {
  consoleEnabled: setting(
    'console.enabled',
    consoleSwitch,
    'auto',
    'the pages for operators at /console; auto: on a loopback address without trusted proxies',
    { flag: '--console', env: 'MSG_CONSOLE' },
  ),
  adminUi: setting('server.admin_ui.enabled', otherSwitch, undefined, 'another name of console.enabled', {
    flag: '--admin-ui',
    env: 'MSG_ADMIN_UI',
  }),
  consoleOrigin: setting(
    'console.origin',
    text,
    '',
    'address that browsers see the service at, with its path: https://ops.example.com/rt; needed behind proxies that change Host',
    { env: 'MSG_CONSOLE_ORIGIN' },
  ),
  consoleMaxRole: setting(
    'console.max_role',
    choice(...ROLES),
    'admin',
    'no session of the console is more than this; viewer: nothing is changed there',
  ),
  consoleSessionTtl: setting(
    'console.session_ttl',
    positiveDuration,
    8 * HOUR_MS,
    'how long a session of the console lasts, 5m to 24h',
  ),
  consoleSessionIdle: setting(
    'console.session_idle',
    positiveDuration,
    HOUR_MS / 2,
    'how long a session of the console lasts without a call, 1m to session_ttl',
  ),
  consoleOidcClientId: setting(
    'console.oidc.client_id',
    text,
    '',
    'what the provider of auth.oidc.issuer knows the console by; empty: sign-in takes a token alone',
  ),
  consoleOidcClientSecret: setting(
    'console.oidc.client_secret',
    secret,
    '',
    'secret of the console at the provider; empty: a public client',
    { env: 'MSG_CONSOLE_OIDC_CLIENT_SECRET' },
  ),
  consoleOidcScope: setting(
    'console.oidc.scope',
    text,
    'openid email profile groups',
    'what the console asks the provider for',
  ),
} as const;
