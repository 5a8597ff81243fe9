import { choice, defaultFlag, valueFlag } from '@msg/command-line';
import { duration } from '../config/setting-types.ts';
import { rpcCommand } from './command.ts';
import { SCOPE_FLAGS, scopesOf } from './scope-flags.ts';
import { ttlFlag, wholeSeconds } from './ttl-flag.ts';

const SETTINGS = {
  ttl: {
    ...ttlFlag(
      0,
      'inactivity after which the channel is removed, at most 1h; without it 15m, or what a reused channel has',
    ),
    // 0 asks for the service's own default.
    type: { ...duration, format: () => '' },
  },
  ifExists: valueFlag(
    '--if-exists',
    choice('error', 'reuse'),
    'error',
    '`reuse`: an open channel is renewed and gets new tokens; a deleted name stays refused',
  ),
  subject: defaultFlag('--subject', 'text', '', 'subject of the tokens, typically a user id', {
    short: '-s',
  }),
  ...SCOPE_FLAGS,
} as const;

/** `channels create`. Source: the specification, "Command-line client"; messaging details 16.2. */
export const createChannel = rpcCommand({
  name: 'channels create',
  args: [{ name: 'name', help: 'channel name: private:app.domain.id[.topic]' }],
  summary: 'create a private channel and print its tokens, which are kept nowhere',
  detail: 'The tokens grant every verb on the channel itself; scopes add to that, deny scopes take away.',
  method: 'CreatePrivate',
  settings: SETTINGS,
  examples: [
    { line: 'channels create private:shop.order.77 --subject u-9', help: 'tokens for the channel alone' },
    {
      line: "channels create private:shop.order.77 --scope 'private:shop.order.77.*' --verb subscribe --verb publish",
      help: 'and for its topics',
    },
    {
      line: 'channels create private:shop.order.77 --deny-scope private:shop.order.77 --deny-verb publish',
      help: 'read only',
    },
    {
      line: 'channels create private:shop.order.77 --subject u-10 --if-exists reuse',
      help: 'tokens for one more user of a channel that may be there',
    },
  ],
  async action(call, { args: [name = ''], settings }) {
    const { ttl, subject, ifExists } = settings;
    const scopes = scopesOf(settings);
    const reuse = ifExists === 'reuse' ? { if_exists: ifExists } : {};
    const credentials = await call({ name, ttl_seconds: wholeSeconds(ttl), subject, scopes, ...reuse });
    return { kind: 'msg.channel.credentials', payload: credentials };
  },
});
