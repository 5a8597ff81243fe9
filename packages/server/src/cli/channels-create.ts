import { defaultFlag, list, type Resolved, type Setting } from '@msg/command-line';
import { MsgError } from '@msg/core';
import { rpcCommand } from './command.ts';
import { ttlFlag, wholeSeconds } from './ttl-flag.ts';

function listFlag(key: string, help: string): Setting<readonly string[]> {
  return { key, flag: `--${key}`, type: list, fallback: [], help: `${help}; repeatable` };
}

const SETTINGS = {
  ttl: ttlFlag(15 * 60_000, 'inactivity after which the channel is removed, at most 1h'),
  subject: defaultFlag('--subject', 'text', '', 'subject of the tokens, typically a user id', {
    short: '-s',
  }),
  scope: listFlag('scope', 'pattern the access token allows'),
  verb: listFlag('verb', 'subscribe, publish or manage, for every --scope; default subscribe'),
  denyScope: listFlag('deny-scope', 'pattern the access token denies, whatever else allows it'),
  denyVerb: listFlag('deny-verb', 'verb of every --deny-scope; default those of --verb'),
} as const;

interface ScopeRequest {
  readonly pattern: string;
  readonly verbs: readonly string[];
  readonly deny: boolean;
}

function scopesOf({ scope, verb, denyScope, denyVerb }: Resolved<typeof SETTINGS>): ScopeRequest[] {
  if (verb.length > 0 && scope.length === 0 && denyScope.length === 0) {
    throw new MsgError('MSG_INVALID_ARGUMENT', '--verb needs a --scope or a --deny-scope');
  }
  if (denyVerb.length > 0 && denyScope.length === 0) {
    throw new MsgError('MSG_INVALID_ARGUMENT', '--deny-verb needs a --deny-scope');
  }
  const verbs = verb.length > 0 ? verb : ['subscribe'];
  const denied = denyVerb.length > 0 ? denyVerb : verbs;
  return [
    ...scope.map(pattern => ({ pattern, verbs, deny: false })),
    ...denyScope.map(pattern => ({ pattern, verbs: denied, deny: true })),
  ];
}

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
  ],
  async action(call, { args: [name = ''], settings }) {
    const { ttl, subject } = settings;
    const scopes = scopesOf(settings);
    const credentials = await call({ name, ttl_seconds: wholeSeconds(ttl), subject, scopes });
    return { kind: 'msg.channel.credentials', payload: credentials };
  },
});
