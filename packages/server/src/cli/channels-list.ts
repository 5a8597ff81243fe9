import { choice, count, defaultFlag, switchFlag, valueFlag } from '@msg/command-line';
import { channelView } from '@msg/core/internal';
import { rpcCommand } from './command.ts';

function only(name: 'pattern' | 'query' | 'state' | 'visibility' | 'cursor', help: string) {
  return defaultFlag(`--${name}`, 'text', '', help);
}

/** `channels list`. */
export const listChannels = rpcCommand({
  name: 'channels list',
  summary: 'all channels, closed ones included; with any flag a page of them',
  detail:
    'By name and by created_at pages follow each other without a gap. By last_active and subscribers rows move, so there ' +
    'is one page; by subscribers it has at most 1,000 channels, and `total` is -1. A page comes from a copy of the ' +
    'registry that changes of state reach at once; other members are as of `as_of`.',
  method: 'ListChannels',
  settings: {
    pattern: only('pattern', 'only channels that match: public:shop.**, or *:shop.** of both visibilities'),
    query: only('query', 'only names with this part'),
    state: only('state', 'only open or only closed ones'),
    visibility: only('visibility', 'only public or only private ones'),
    sort: valueFlag(
      '--sort',
      choice('', 'name', 'last_active', 'created_at', 'subscribers'),
      '',
      'the order: name, last_active, created_at or subscribers',
    ),
    descending: switchFlag('--descending', 'the other way round'),
    limit: valueFlag('--limit', count, 0, 'how many at most, up to 1,000'),
    cursor: only('cursor', 'where the page begins: `next_cursor` of the one before'),
    counts: switchFlag('--counts', 'count the subscribers of each; with a limit of up to 200'),
  },
  examples: [
    { line: 'channels list', help: 'deleted channels are not shown' },
    { line: "channels list --pattern '*:shop.**' --state closed --limit 50", help: 'a page of those' },
    { line: 'channels list --sort subscribers --descending --limit 10', help: 'the busiest' },
  ],
  async action(call, { settings }) {
    const isWhole = Object.values(settings).every(value => !value);
    const { channels, subscribers, ...answer } = await call(settings);
    const views = channels.map(channelView);
    if (isWhole) return { kind: 'msg.channels.list', payload: { channels: views } };
    const counted = Object.fromEntries(subscribers);
    return { kind: 'msg.channels.list', payload: { channels: views, ...answer, subscribers: counted } };
  },
});
