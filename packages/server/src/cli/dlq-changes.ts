import { type Argument, defaultFlag, textFlag, valueFlag } from '@msg/command-line';
import { resolveAll } from '@msg/command-line/internal';
import { METHODS, MsgError } from '@msg/core';
import { CLIENT_SETTINGS } from '../config/client-settings.ts';
import { duration } from '../config/setting-types.ts';
import { callsOf, type MsgCommand, printResult, rpcCommand, withOutput } from './command.ts';
import { parseJson, parseMetadata } from './publish-or-sink.ts';
import { wholeSeconds } from './ttl-flag.ts';

const ID: Argument = { name: 'id', help: 'id of a dead letter, as `msg dlq list` shows it' };
/** The service takes so many ids at once. */
const SLICE = 500;

const EDIT = {
  recipient: textFlag('--recipient', 'text', "the sink's recipient as JSON; absent: it stays"),
  subject: textFlag('--subject', 'text', "the message's subject; absent: it stays"),
  body: textFlag('--body', 'text', "the message's text; absent: it stays"),
  metadata: textFlag(
    '--metadata',
    'text',
    "the message's metadata, a JSON object of texts; absent: it stays",
  ),
} as const;

const edit: MsgCommand = {
  name: 'dlq edit',
  args: [ID],
  summary: 'change recipient or message of a dead letter before it is sent again',
  detail: 'The letter keeps its id, its attempts and its place. Who changed it, and when, is in `edits`.',
  method: 'DlqUpdate',
  settings: { ...EDIT, ...CLIENT_SETTINGS },
  examples: [
    {
      line: `dlq edit 0a1b2c3d4e5f6a7b --recipient '{"address":"ann@example.com"}'`,
      help: 'the address was wrong',
    },
  ],
  async run(invocation) {
    const { recipient, subject, body, metadata } = resolveAll(EDIT, invocation.sources);
    const id = invocation.args[0] ?? '';
    const { call } = await callsOf(invocation);
    const isMessage = subject !== undefined || body !== undefined || metadata !== undefined;
    const item = isMessage ? (await call('DlqGet', { id })).item : undefined;
    const isWhole = subject !== undefined && body !== undefined && metadata !== undefined;
    if (item?.truncated === true && !isWhole)
      throw new MsgError(
        'MSG_INVALID_ARGUMENT',
        `the message of dead letter ${id} is too long for one answer: give --subject, --body and --metadata`,
      );
    const before = item?.message;
    const message = before && {
      subject: subject ?? before.subject,
      body: body ?? before.body,
      metadata: metadata === undefined ? before.metadata : parseMetadata(metadata),
    };
    const answer = await call('DlqUpdate', {
      id,
      recipient: recipient === undefined ? null : parseJson(recipient, '--recipient'),
      message: message ?? null,
    });
    const payload = METHODS.DlqUpdate.response.write(answer) as object; // its JSON form
    printResult(withOutput(invocation), { kind: 'msg.dlq.edited', payload });
  },
};

const discard = rpcCommand({
  name: 'dlq discard',
  args: [{ ...ID, optional: true, repeatable: true }],
  summary: 'remove dead letters: some by their ids, or a group',
  detail:
    'With --undo they are gone for everybody at once, and `msg dlq restore` brings them back in that time, on any node; ' +
    '`ids` names them. Without it they are removed for good.',
  method: 'DlqDiscard',
  settings: {
    sink: defaultFlag('--sink', 'text', '', 'the sink of the group'),
    group: defaultFlag('--group', 'text', '', 'all of this group, as `msg dlq groups` shows it'),
    undo: valueFlag('--undo', duration, 0, 'how long they can be brought back, at most 5m'),
  },
  examples: [
    { line: 'dlq discard 0a1b2c3d4e5f6a7b', help: 'it cannot be brought back' },
    {
      line: 'dlq discard --sink orders --group 0a1b2c3d4e5f6a7b --undo 1m',
      help: 'one problem, for a minute',
    },
  ],
  async action(call, { args, settings: { undo, ...group } }) {
    const [id = ''] = args;
    const which = args.length === 1 ? { id } : { ids: args };
    const answer = await call({ ...which, ...group, undo_seconds: wholeSeconds(undo) });
    return { kind: 'msg.dlq.discarded', payload: { ...which, ...answer } };
  },
});

const restore = rpcCommand({
  name: 'dlq restore',
  args: [{ ...ID, repeatable: true }],
  summary: 'bring back dead letters that were discarded with --undo',
  method: 'DlqRestore',
  examples: [{ line: 'dlq restore 0a1b2c3d4e5f6a7b', help: 'as long as its time is not over' }],
  async action(call, { args: ids }) {
    let restored = 0;
    for (let begin = 0; begin < ids.length; begin += SLICE)
      restored += (await call({ ids: ids.slice(begin, begin + SLICE) })).restored;
    return { kind: 'msg.dlq.restored', payload: { restored } };
  },
});

/** `dlq edit`, `dlq discard` and `dlq restore`. */
export const changeCommands: readonly MsgCommand[] = [edit, discard, restore];
