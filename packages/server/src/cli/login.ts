import { defaultFlag, type Resolved, UsageError, valueFlag } from '@msg/command-line';
import { display } from '@msg/command-line/internal';
import { formatTimestamp } from '@msg/core/internal';
import { defined } from '@msg/foundation/json';
import { isTrustworthy } from '../config/issuer-address.ts';
import { positiveDuration } from '../config/setting-types.ts';
import { localCommand, type MsgCommand, printResult } from './command.ts';
import { credentialsPath } from './credentials.ts';

const SETTINGS = {
  issuer: defaultFlag('--issuer', 'text', '', 'address of the identity provider; required', {
    env: 'MSG_OIDC_ISSUER',
  }),
  clientId: defaultFlag('--client-id', 'text', '', 'what the provider knows msg by; required', {
    env: 'MSG_OIDC_CLIENT_ID',
  }),
  clientSecret: defaultFlag(
    '--client-secret',
    'text',
    '',
    'secret of a confidential client; better given as variable, since command lines are visible',
    { env: 'MSG_OIDC_CLIENT_SECRET' },
  ),
  scope: defaultFlag('--scope', 'text', 'openid email profile groups', 'scopes to ask for'),
  timeout: valueFlag('--timeout', positiveDuration, 5 * 60_000, 'how long the whole login may take'),
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
