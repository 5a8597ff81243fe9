import { type Argument, count, defaultFlag, valueFlag } from '@msg/command-line';
import { METHODS, MsgError } from '@msg/core';
import { type CliResult, type MsgCommand, rpcCommand } from './command.ts';
import { changeCommands } from './dlq-changes.ts';
import { redriveCommands } from './dlq-redrive.ts';

const SINK: Argument = { name: 'sink', help: 'name of a sink, as the manifest shows it' };
const ID: Argument = { name: 'id', help: 'id of a dead letter, as `msg dlq list` shows it' };

function only(name: 'channel' | 'group' | 'query' | 'cursor', help: string) {
  return defaultFlag(`--${name}`, 'text', '', help);
}

/** An empty name would mean every sink. */
function named(sink: string): string {
  if (sink === '') throw new MsgError('MSG_INVALID_ARGUMENT', 'a sink is required');
  return sink;
}

const listLetters = rpcCommand({
  name: 'dlq list',
  args: [SINK],
  summary: 'deliveries of a sink that were given up, newest first',
  method: 'DlqList',
  detail: 'A further page begins at the `next_cursor` of the one before.',
  settings: {
    limit: valueFlag('--limit', count, 50, 'how many at most; 0 means all, or with another flag 100'),
    channel: only('channel', 'only deliveries for this channel'),
    group: only('group', 'only those of this group, as `msg dlq groups` shows it'),
    query: only('query', 'only where id, channel, recipient, subject or error has this part'),
    cursor: only('cursor', 'where the page begins'),
  },
  examples: [{ line: 'dlq list orders --limit 10', help: 'messages, recipients and the last error of each' }],
  async action(call, { args: [sink = ''], settings }) {
    const answer = METHODS.DlqList.response.write(await call({ sink: named(sink), ...settings })) as object; // its JSON form
    return { kind: 'msg.dlq.list', payload: { sink, ...answer } };
  },
});

const getLetter = rpcCommand({
  name: 'dlq get',
  args: [ID],
  summary: 'one dead letter with its whole message',
  method: 'DlqGet',
  examples: [{ line: 'dlq get 0a1b2c3d4e5f6a7b', help: 'what was it, and why was it given up?' }],
  async action(call, { args: [id = ''] }) {
    const answer = METHODS.DlqGet.response.write(await call({ id })) as object; // its JSON form
    return { kind: 'msg.dlq.get', payload: answer };
  },
});

const groups = rpcCommand({
  name: 'dlq groups',
  args: [SINK],
  summary: 'dead letters of a sink by their errors: those that failed alike are one group',
  method: 'DlqGroups',
  examples: [{ line: 'dlq groups orders', help: 'how many different problems are there?' }],
  async action(call, { args: [sink = ''] }) {
    return { kind: 'msg.dlq.groups', payload: { sink, ...(await call({ sink: named(sink) })) } };
  },
});

const countLetters = rpcCommand({
  name: 'dlq count',
  args: [SINK],
  summary: 'how many deliveries of a sink were given up and are kept',
  method: 'DlqCount',
  examples: [{ line: 'dlq count orders', help: 'the number alone' }],
  async action(call, { args: [sink = ''] }) {
    const answer = await call({ sink: named(sink) });
    return { kind: 'msg.dlq.count', payload: { sink, count: answer.count } };
  },
});

const replay = rpcCommand({
  name: 'dlq replay',
  args: [ID],
  summary: 'send a dead letter again, with all retries',
  detail:
    '`outcome` tells what became of it: `sent`, and it is removed; `parked`, it failed again and stays under its id ' +
    'with more attempts, and the command exits with 1; `gone`, its recipient is gone for good and it is removed, and the ' +
    'command exits with 1; `running`, the retries still go on after 20 s, and `attempts` and ' +
    '`last_error` are those of before.',
  method: 'DlqReplay',
  examples: [{ line: 'dlq replay 0a1b2c3d4e5f6a7b', help: 'after the destination is back' }],
  async action(call, { args: [id = ''] }) {
    const answer = await call({ id });
    const result: CliResult = { kind: 'msg.dlq.replayed', payload: { id, ...answer } };
    if (answer.outcome === 'gone') {
      const text = `the recipient of dead letter ${id} is gone for good: the letter is removed`;
      return { ...result, failure: new MsgError('MSG_SINK_RECIPIENT_GONE', text) };
    }
    if (answer.outcome !== 'parked') return result;
    const text = `dead letter ${id} failed again and is parked, see \`msg dlq list\``;
    return { ...result, failure: new MsgError('MSG_SINK_UNAVAILABLE', text) };
  },
});

/** `dlq …`. */
export const dlqCommands: readonly MsgCommand[] = [
  listLetters,
  getLetter,
  groups,
  countLetters,
  replay,
  ...changeCommands,
  ...redriveCommands,
];
