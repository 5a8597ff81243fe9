import { defaultFlag, textFlag } from '@msg/command-line';
import { MsgError } from '@msg/core';
import { isRecord } from '@msg/foundation/json';
import { type MsgCommand, rpcCommand } from './command.ts';
import { PUBLICATION_FLAGS, PUBLICATION_SETTINGS, publicationOf, readSource } from './publish.ts';

const SETTINGS = {
  ...PUBLICATION_SETTINGS,
  ...PUBLICATION_FLAGS,
  sink: defaultFlag('--sink', 'text', '', 'name of the sink; required'),
  recipient: textFlag(
    '--recipient',
    'text',
    `the sink's recipient as JSON: '{"address":"ann@example.com"}'; absent: none`,
  ),
  subject: defaultFlag('--subject', 'text', '', "the message's subject"),
  body: defaultFlag('--body', 'text', '', "the message's text"),
  metadata: defaultFlag('--metadata', 'text', '', "the message's metadata, a JSON object of texts"),
} as const;

/** @throws MsgError MSG_INVALID_ARGUMENT naming the flag */
export function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new MsgError('MSG_INVALID_ARGUMENT', `${name} must be JSON`);
  }
}

/** Flag `--metadata`. @throws MsgError MSG_INVALID_ARGUMENT */
export function parseMetadata(text: string): ReadonlyMap<string, string> {
  if (text === '') return new Map();
  const value = parseJson(text, '--metadata');
  const entries = Object.entries(isRecord(value) ? value : { not: 0 });
  const texts = entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  if (texts.length === entries.length) return new Map(texts);
  throw new MsgError('MSG_INVALID_ARGUMENT', '--metadata must be a JSON object of texts');
}

const publishOrSink = rpcCommand({
  name: 'publish-or-sink',
  args: [{ name: 'name', help: 'channel name' }],
  summary: 'publish into a channel, or, without subscribers, send a message through a sink',
  detail:
    'Subscribers get the bytes of --data, --file or standard input. Without subscribers subject, body and metadata ' +
    'go to the recipient instead; `outcome` tells what happened: published, sent, or parked when the delivery was ' +
    'given up and is a dead letter. Retries can outlast the 30 s this command waits; they go on in the service.',
  method: 'PublishOrSink',
  settings: SETTINGS,
  examples: [
    {
      line: `publish-or-sink public:shop.order.7 --data '{"state":"paid"}' --sink orders --subject 'Order 7' --body paid`,
      help: 'a webhook with a configured address',
    },
    {
      line: `publish-or-sink public:shop.user.7 --data hi --sink email --recipient '{"address":"ann@example.com"}' --body hi`,
      help: 'a mail',
    },
  ],
  async action(call, { args: [name = ''], settings, io }) {
    const { data, file, sink, recipient, subject, body } = settings;
    if (sink === '') throw new MsgError('MSG_INVALID_ARGUMENT', '--sink is required');
    const request = {
      name,
      sink,
      recipient: recipient === undefined ? null : parseJson(recipient, '--recipient'),
      message: { subject, body, metadata: parseMetadata(settings.metadata) },
    };
    const { outcome, delivered, via, offset, epoch, suppressed } = await call({
      ...request,
      ...publicationOf(await readSource(io, data, file), settings),
    });
    return { kind: 'msg.publish.sink', payload: { outcome, delivered, via, offset, epoch, suppressed } };
  },
});

/** `publish-or-sink <name>`. */
export const publishOrSinkCommands: readonly MsgCommand[] = [publishOrSink];
