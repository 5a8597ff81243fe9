import { count, switchFlag, valueFlag } from '@msg/command-line';
import { safeText } from '@msg/command-line/internal';
import { MsgError, parseName } from '@msg/core';
import { formatTimestamp } from '@msg/core/internal';
import { CLIENT_SETTINGS } from '../config/client-settings.ts';
import { AppendedText } from './appended-text.ts';
import { withSituation } from './call-situation.ts';
import { localCommand, type MsgCommand } from './command.ts';
import { openStream, readEvents } from './event-stream.ts';
import type { CliEnvironment } from './io.ts';

const SETTINGS = {
  fromOffset: valueFlag(
    '--from-offset',
    count,
    0,
    'first offset wanted of what the history still holds; 0: only new publications',
  ),
  text: switchFlag('--text', 'print only what is new of messages that grow, raw'),
  server: CLIENT_SETTINGS.server,
  token: { ...CLIENT_SETTINGS.token, help: 'access token, for a private channel' },
} as const;

/** An event of the stream. */
interface Publication {
  readonly offset: number;
  readonly data: unknown;
  readonly encoding?: string;
}

/** Why the server ended a stream, by its last event. */
const ENDINGS: Readonly<Record<string, (channel: string) => string>> = {
  deleted: channel => `${channel} was deleted`,
  expired: () => 'the access token is over',
};

/** A publication as one line: its JSON, or for people time, offset and data. */
function publicationLine({ table, now }: CliEnvironment, text: string): string {
  if (table === undefined) return text;
  const { offset, data, encoding } = JSON.parse(text) as Publication; // the form of the stream's events
  const payload = typeof data === 'string' ? data : JSON.stringify(data);
  const note = encoding === undefined ? '' : ` (${encoding})`;
  return `${table.style.label(formatTimestamp(now()).slice(11))}  ${offset}  ${safeText(payload)}${note}`;
}

/** Prints events until the server ends the stream, then the reason. */
async function printEvents(
  io: CliEnvironment,
  channel: string,
  body: ReadableStream<Uint8Array>,
  isText: boolean,
): Promise<void> {
  const text = new AppendedText(io);
  let ending = 'the server ended the stream';
  await readEvents(io, body, (event, data) => {
    if (event === undefined && isText)
      text.read((JSON.parse(data) as Publication).data); // the form of the stream's events
    else if (event === undefined) io.out(`${publicationLine(io, data)}\n`);
    else ending = ENDINGS[event]?.(channel) ?? ending;
  });
  io.err(`${ending}\n`);
}

const subscribe = localCommand({
  name: 'subscribe',
  args: [{ name: 'name', help: 'an open channel' }],
  summary: 'print what is published in a channel, one JSON line each',
  detail:
    'A line holds channel, offset and data; bytes that are not UTF-8 come as base64, and then "encoding" says so. A private channel needs an access token in --token; what `msg login` ' +
    'stored is not sent. Ends with the stream or with Ctrl-C; it does not reconnect.',
  settings: SETTINGS,
  examples: [
    { line: 'subscribe public:shop.news', help: 'everything from now on' },
    { line: 'subscribe public:shop.news --from-offset 1', help: 'what the history holds first' },
    { line: 'subscribe public:shop.log --text', help: 'a message that grows, as it grows' },
  ],
  async run({ args: [channel = ''], settings: { fromOffset: from, text, server, token }, io }) {
    const isPublic = parseName(channel).visibility === 'public';
    const interrupted = io.interrupted();
    try {
      const body = await openStream(io, { server, token, channel, from }, interrupted);
      await printEvents(io, channel, body, text);
    } catch (error) {
      if (interrupted.aborted) return;
      if (error instanceof MsgError)
        throw withSituation(error, {
          server,
          token: isPublic ? undefined : token,
          needs: ['access'],
          channel,
          now: io.now(),
        });
      throw new MsgError('MSG_BROKER_NOT_READY', 'the stream broke off', { cause: error });
    }
  },
});

/** `subscribe <name>`. */
export const subscribeCommands: readonly MsgCommand[] = [subscribe];
