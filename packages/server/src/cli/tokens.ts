import { defaultFlag, switchFlag, valueFlag } from '@msg/command-line';
import { duration } from '../config/setting-types.ts';
import { type MsgCommand, rpcCommand } from './command.ts';
import { ROLE_FLAG, SCOPE_FLAGS, scopesOf } from './scope-flags.ts';
import { inspectToken } from './tokens-inspect.ts';
import { ttlFlag, wholeSeconds } from './ttl-flag.ts';

const REASON = defaultFlag('--reason', 'text', '', 'why, kept with the revocation', { short: '-r' });

/** The non-empty members: the envelope leaves empty ones out. */
function withoutEmpty(members: Readonly<Record<string, string>>): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== ''));
}

const refresh = rpcCommand({
  name: 'tokens refresh',
  args: [{ name: 'refresh-token', help: 'the newest refresh token of its family' }],
  summary: 'exchange a refresh token for a new pair; no bearer is needed',
  detail: 'Each refresh token works once. Using an old one again ends the whole family.',
  method: 'RefreshToken',
  examples: [{ line: 'tokens refresh "$REFRESH_TOKEN"', help: 'keep the refresh token that is printed' }],
  async action(call, { args: [refresh_token = ''] }) {
    const { access_token, expires_at, refresh_expires_unix, rotated, ...answer } = await call({
      refresh_token,
    });
    return {
      kind: 'msg.token.refreshed',
      payload: {
        access_token,
        expires_at,
        refresh_token: answer.refresh_token,
        rotated,
        refresh_expires_unix,
      },
    };
  },
});

const issue = rpcCommand({
  name: 'tokens issue',
  args: [{ name: 'subject', help: 'whose tokens they are, typically a user id' }],
  summary: "tokens for a user's session, by scopes and without a channel of its own",
  detail:
    'The private channels that the scopes match must be open. A bearer with grants issues nothing wider than these. ' +
    'The tokens are kept nowhere.',
  method: 'IssueAccess',
  settings: {
    ...SCOPE_FLAGS,
    ttl: ttlFlag(0, 'lifetime of the access token, clamped to 1m .. 1h; 0: as the server has it'),
    sessionTtl: valueFlag(
      '--session-ttl',
      duration,
      24 * 3_600_000,
      'how long refresh tokens follow each other',
    ),
    noRefresh: switchFlag('--no-refresh', 'an access token alone'),
    allowManage: switchFlag('--allow-manage', 'the scopes may grant manage'),
  },
  examples: [
    {
      line: "tokens issue u-9 --scope 'private:shop.room.*' --verb subscribe --verb publish",
      help: 'every open room, for a day',
    },
    { line: "tokens issue u-9 --scope 'private:shop.**' --no-refresh --ttl 1h", help: 'for an hour' },
  ],
  async action(call, { args: [subject = ''], settings }) {
    const credentials = await call({
      subject,
      scopes: scopesOf(settings),
      ttl_seconds: wholeSeconds(settings.ttl),
      refresh: !settings.noRefresh,
      session_ttl_seconds: wholeSeconds(settings.sessionTtl),
      allow_manage: settings.allowManage,
    });
    return { kind: 'msg.token.access', payload: credentials };
  },
});

const mgmt = rpcCommand({
  name: 'tokens mgmt',
  summary: 'a new management bearer, signed by the active key',
  method: 'IssueMgmt',
  settings: {
    subject: defaultFlag('--subject', 'text', 'operator', 'subject of the token', { short: '-s' }),
    ttl: ttlFlag(24 * 3_600_000, 'lifetime, clamped to 1h .. 7d'),
    role: ROLE_FLAG,
    ...SCOPE_FLAGS,
  },
  examples: [
    { line: 'tokens mgmt', help: 'for 24 hours' },
    { line: 'tokens mgmt --subject deploy --ttl 1h', help: 'for a pipeline' },
    { line: "tokens mgmt --role viewer --scope 'public:shop.**' --verb manage", help: 'to look at the shop' },
  ],
  async action(call, { settings }) {
    const { subject, ttl, role } = settings;
    const { mgmt_token, expires_at, expires_unix, signed_by_key_id } = await call({
      subject,
      ttl_seconds: wholeSeconds(ttl),
      role: role === 'admin' ? '' : role,
      scopes: scopesOf(settings),
    });
    return {
      kind: 'msg.token.mgmt',
      payload: { mgmt_token, expires_at, expires_unix, signed_by_key_id },
    };
  },
});

const revoke = rpcCommand({
  name: 'tokens revoke',
  args: [{ name: 'token-id', help: 'the `jti` of the token, see `msg tokens inspect`' }],
  summary: 'revoke one token: access, refresh or management',
  method: 'RevokeToken',
  settings: {
    user: defaultFlag(
      '--user',
      'text',
      '',
      'whose token it was, kept with the revocation; does not revoke the user',
      { short: '-u' },
    ),
    reason: REASON,
  },
  examples: [
    { line: 'tokens revoke BvGcZTvF6K3hEJ2PyXFh1w --reason leaked', help: 'and end what rests on it' },
  ],
  async action(call, { args: [token_id = ''], settings: { user, reason } }) {
    await call({ token_id, user_id: user, reason });
    return { kind: 'msg.token.revoked', payload: { token_id, ...withoutEmpty({ user_id: user, reason }) } };
  },
});

const revokeUser = rpcCommand({
  name: 'tokens revoke-user',
  args: [{ name: 'user-id', help: 'the `sub` of the tokens' }],
  summary:
    'revoke every token of a subject so far, management tokens and ID tokens too; later ones are valid',
  method: 'RevokeUser',
  settings: { reason: REASON },
  examples: [{ line: 'tokens revoke-user u-9', help: 'for example after a password change' }],
  async action(call, { args: [user_id = ''], settings: { reason } }) {
    await call({ user_id, reason });
    return { kind: 'msg.token.user_revoked', payload: { user_id, ...withoutEmpty({ reason }) } };
  },
});

/** `tokens …`. */
export const tokenCommands: readonly MsgCommand[] = [issue, refresh, mgmt, revoke, revokeUser, inspectToken];
