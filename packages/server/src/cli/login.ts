import { display, type Resolved, type Setting, text, UsageError } from '@msg/command-line';
import { formatTimestamp } from '@msg/core';
import { defined } from '@msg/foundation/json';
import { isTrustworthy } from '../config/issuer-address.ts';
import { positiveDuration } from '../config/setting-types.ts';
import { localCommand, type MsgCommand, printResult } from './command.ts';
import { credentialsPath } from './credentials.ts';

const SETTINGS = {
  issuer: {
    key: 'issuer',
    flag: '--issuer',
    env: 'MSG_OIDC_ISSUER',
    type: text,
    fallback: '',
    help: 'address of the identity provider; required',
  } satisfies Setting<string>,
  clientId: {
    key: 'client-id',
    flag: '--client-id',
    env: 'MSG_OIDC_CLIENT_ID',
    type: text,
    fallback: '',
    help: 'what the provider knows msg by; required',
  } satisfies Setting<string>,
  clientSecret: {
    key: 'client-secret',
    flag: '--client-secret',
    env: 'MSG_OIDC_CLIENT_SECRET',
    type: text,
    fallback: '',
    help: 'secret of a confidential client; better given as variable, since command lines are visible',
  } satisfies Setting<string>,
  scope: {
    key: 'scope',
    flag: '--scope',
    type: text,
    fallback: 'openid email profile groups',
    help: 'scopes to ask for',
  } satisfies Setting<string>,
  timeout: {
    key: 'timeout',
    flag: '--timeout',
    type: positiveDuration,
    fallback: 5 * 60_000,
    help: 'how long the whole login may take',
  } satisfies Setting<number>,
} as const;

function requireProvider(settings: Resolved<typeof SETTINGS>): void {
  for (const name of ['issuer', 'clientId'] as const) {
    const { flag, env } = SETTINGS[name];
    if (settings[name] === '') throw new UsageError(`${flag} or ${env} is required`);
  }
  if (isTrustworthy(settings.issuer)) return;
  const rule = 'must be an https: address, or an http: one of a loopback host';
  throw new UsageError(`--issuer ${rule}; got ${display(settings.issuer)}`);
}

const login = localCommand({
  name: 'login oidc',
  summary: 'log in at an identity provider and keep the ID token as management bearer',
  detail:
    'Prints an address and a code to standard error; open the address in any browser and enter the code. The token ' +
    'is kept in ~/.msg/credentials, readable by you alone, and used where neither --token nor MSG_TOKEN is given. ' +
    'It is not renewed: log in again when it has expired.',
  settings: SETTINGS,
  examples: [
    {
      line: 'login oidc --issuer https://idp.example.com/realms/ops --client-id msg-ops',
      help: 'log in, then for example `msg channels list`',
    },
  ],
  async run({ settings, io }) {
    requireProvider(settings);
    const { deviceLogin } = await import('./device-login.ts');
    const { idToken, subject, expiresAt } = await deviceLogin({
      ...settings,
      fetch: io.fetch,
      onPrompt({ address, code, completeAddress }) {
        io.err(`To log in, open ${address} and enter the code ${code}\n`);
        if (completeAddress !== undefined) io.err(`or open ${completeAddress}\n`);
      },
    });
    const path = credentialsPath(io);
    await io.writePrivateFile(path, `${idToken}\n`);
    const payload = {
      path,
      ...defined({ subject, expires_at: expiresAt === undefined ? undefined : formatTimestamp(expiresAt) }),
    };
    printResult(io, { kind: 'msg.login.oidc', payload });
  },
});

const logout = localCommand({
  name: 'logout',
  summary: 'forget the token that a login stored',
  settings: {},
  examples: [{ line: 'logout', help: 'also succeeds without a stored login' }],
  async run({ io }) {
    const path = credentialsPath(io);
    const removed = await io.removeFile(path);
    printResult(io, { kind: 'msg.logout', payload: { removed, path } });
  },
});

/** `login oidc` and `logout`. Source: messaging details, section 9. */
export const loginCommands: readonly MsgCommand[] = [login, logout];
