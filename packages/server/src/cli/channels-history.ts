import { type Argument, count, switchFlag, valueFlag } from '@msg/command-line';
import { METHODS } from '@msg/core';
import { type MsgCommand, rpcCommand } from './command.ts';

const NAME: Argument = { name: 'name', help: 'channel name' };

/** `channels history`. */
export const channelHistory: MsgCommand = rpcCommand({
  name: 'channels history',
  args: [NAME],
  summary: 'the publications that a channel keeps; nothing is touched by looking',
  detail:
    '`data` is the exact text of a payload, or base64 where `encoding` says so. Viewers see sizes, not payloads. A longer ' +
    'payload is cut at --max-bytes and `truncated`.',
  method: 'History',
  settings: {
    from: valueFlag(
      '--from',
      count,
      0,
      'first offset; 0: the oldest that is kept, with --reverse the newest',
    ),
    limit: valueFlag('--limit', count, 50, 'how many at most, up to 200'),
    reverse: switchFlag('--reverse', 'the newest first'),
    maxBytes: valueFlag('--max-bytes', count, 16_384, 'bytes of each payload that are shown, up to 1048576'),
  },
  examples: [
    { line: 'channels history public:shop.news --reverse --limit 5', help: 'the last five' },
    { line: 'channels history public:shop.news --from 120', help: 'from an offset on' },
  ],
  async action(call, { args: [name = ''], settings: { from, limit, reverse, maxBytes } }) {
    const answer = await call({ name, from_offset: from, limit, reverse, max_payload_bytes: maxBytes });
    const page = METHODS.History.response.write(answer) as object; // the answer's JSON form
    return { kind: 'msg.channel.history', payload: { channel: name, ...page } };
  },
});
