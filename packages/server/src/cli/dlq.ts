import { type Argument, count, valueFlag } from '@msg/command-line';
import { METHODS, MsgError } from '@msg/core';
import { type CliResult, type MsgCommand, rpcCommand } from './command.ts';

const SINK: Argument = { name: 'sink', help: 'name of a sink, as the manifest shows it' };
const ID: Argument = { name: 'id', help: 'id of a dead letter, as `msg dlq list` shows it' };

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
  settings: {
    limit: valueFlag('--limit', count, 50, 'how many at most; 0 means all'),
  },
  examples: [{ line: 'dlq list orders --limit 10', help: 'messages, recipients and the last error of each' }],
  async action(call, { args: [sink = ''], settings: { limit } }) {
    const answer = await call({ sink: named(sink), limit });
    const { items } = METHODS.DlqList.response.write(answer) as { items: unknown }; // the answer's JSON form
    return { kind: 'msg.dlq.list', payload: { sink, items } };
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

const discard = rpcCommand({
  name: 'dlq discard',
  args: [ID],
  summary: 'remove a dead letter for good',
  method: 'DlqDiscard',
  examples: [{ line: 'dlq discard 0a1b2c3d4e5f6a7b', help: 'it cannot be brought back' }],
  async action(call, { args: [id = ''] }) {
    await call({ id });
    return { kind: 'msg.dlq.discarded', payload: { id } };
  },
});

const replay = rpcCommand({
  name: 'dlq replay',
  args: [ID],
  summary: 'send a dead letter again, with all retries',
  detail:
    '`outcome` tells what became of it: `sent`, and it is removed; `parked`, it failed again and stays under its id ' +
    'with more attempts, and the command exits with 1; `running`, the retries still go on after 20 s.',
  method: 'DlqReplay',
  examples: [{ line: 'dlq replay 0a1b2c3d4e5f6a7b', help: 'after the destination is back' }],
  async action(call, { args: [id = ''] }) {
    const { outcome } = await call({ id });
    const result: CliResult = { kind: 'msg.dlq.replayed', payload: { id, outcome } };
    if (outcome !== 'parked') return result;
    const text = `dead letter ${id} failed again and is parked, see \`msg dlq list\``;
    return { ...result, failure: new MsgError('MSG_SINK_UNAVAILABLE', text) };
  },
});

/** `dlq …`. */
export const dlqCommands: readonly MsgCommand[] = [listLetters, countLetters, discard, replay];
