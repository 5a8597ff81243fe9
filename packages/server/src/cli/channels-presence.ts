import { count, defaultFlag, type SettingGroup, switchFlag, valueFlag } from '@msg/command-line';
import { resolveAll } from '@msg/command-line/internal';
import { MsgError } from '@msg/core';
import { CLIENT_SETTINGS } from '../config/client-settings.ts';
import { callsOf, type MsgCommand, printResult, withOutput } from './command.ts';

const SETTINGS = {
  list: switchFlag('--list', 'who they are, on all nodes, as `msg channels presence-list` says'),
  limit: valueFlag('--limit', count, 0, 'with --list: how many at most, up to 200; 0: 100'),
  cursor: defaultFlag(
    '--cursor',
    'text',
    '',
    'with --list: where the page begins, `next_cursor` of the one before',
  ),
} as const satisfies SettingGroup;

/** `channels presence`: how many, or with `--list` who. */
export const channelPresence: MsgCommand = {
  name: 'channels presence',
  args: [{ name: 'name', help: 'channel name: public:app.domain[.id][.topic] or private:app.domain.id' }],
  summary: 'how many subscribe to a channel right now, and with --list who',
  method: 'Presence',
  settings: { ...SETTINGS, ...CLIENT_SETTINGS },
  examples: [
    { line: 'channels presence public:shop.news', help: 'the number of live subscriptions' },
    { line: 'channels presence public:shop.news --list', help: 'their connections and users' },
  ],
  async run(invocation) {
    const io = withOutput(invocation);
    const { list, ...page } = resolveAll(SETTINGS, invocation.sources);
    const [name = ''] = invocation.args;
    if (!list && (page.limit > 0 || page.cursor !== ''))
      throw new MsgError('MSG_INVALID_ARGUMENT', '--limit and --cursor page a list: add --list');
    const { call } = await callsOf(invocation);
    if (list) {
      const answer = await call('PresenceList', { name, ...page });
      printResult(io, { kind: 'msg.channel.presence_list', payload: { channel: name, ...answer } });
    } else {
      const { subscribers } = await call('Presence', { name });
      printResult(io, { kind: 'msg.channel.presence', payload: { channel: name, subscribers } });
    }
  },
};
