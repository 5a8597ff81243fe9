import { count, safeText, valueFlag } from '@msg/command-line';
import { MsgError, parseName } from '@msg/core';
import { errorOfAnswer, formatTimestamp } from '@msg/core/internal';
import { defined } from '@msg/foundation/json';
import { createParser } from 'eventsource-parser';
import { CLIENT_SETTINGS } from '../config/client-settings.ts';
import { withSituation } from './call-situation.ts';
import { localCommand, type MsgCommand } from './command.ts';
import type { CliIo } from './io.ts';

/** How long the command waits for the stream to open (messaging details 16.1). */
const OPEN_TIMEOUT_MS = 30_000;

const SETTINGS = {
  fromOffset: valueFlag(
    '--from-offset',
    count,
    0,
    'first offset wanted of what the history still holds; 0: only new publications',
  ),
  server: CLIENT_SETTINGS.server,
  token: { ...CLIENT_SETTINGS.token, help: 'access token, for a private channel' },
} as const;

/** An event of the stream. */
interface Publication {
  readonly offset: number;
  readonly data: unknown;
  readonly encoding?: string;
}

interface StreamRequest {
  readonly server: string;
  readonly token: string;
  readonly channel: string;
  readonly from: number;
}

async function bodyText(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The open stream. @throws MsgError with the server's code, MSG_BROKER_NOT_READY when there is no answer. */
async function openStream(
  io: CliIo,
  { server, token, channel, from }: StreamRequest,
  interrupted: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const base = server.replace(/\/+$/, '');
  const query = new URLSearchParams({ channel, from_offset: String(from) });
  const opening = new AbortController();
  const timer = setTimeout(() => opening.abort(), OPEN_TIMEOUT_MS);
  let response: Response;
  try {
    response = await io.fetch(`${base}/sse?${query}`, {
      headers: {
        accept: 'text/event-stream',
        ...defined({ authorization: token === '' ? undefined : `Bearer ${token}` }),
      },
      signal: AbortSignal.any([interrupted, opening.signal]),
    });
  } catch (cause) {
    throw new MsgError('MSG_BROKER_NOT_READY', `no answer from ${base}`, { cause });
  } finally {
    clearTimeout(timer);
  }
  if (response.status !== 200) throw errorOfAnswer(response.status, await bodyText(response));
  if (response.body === null) throw new MsgError('MSG_INTERNAL', 'the stream has no body');
  return response.body;
}

/** Why the server ended a stream, by its last event. */
const ENDINGS: Readonly<Record<string, (channel: string) => string>> = {
  deleted: channel => `${channel} was deleted`,
  expired: () => 'the access token is over',
};

/** A publication as one line: its JSON, or for people time, offset and data. */
function publicationLine({ table, now }: CliIo, text: string): string {
  if (table === undefined) return text;
  const { offset, data, encoding } = JSON.parse(text) as Publication; // the form of the stream's events
  const shown = typeof data === 'string' ? data : JSON.stringify(data);
  const note = encoding === undefined ? '' : ` (${encoding})`;
  return `${table.style.label(formatTimestamp(now()).slice(11))}  ${offset}  ${safeText(shown)}${note}`;
}

/** Prints events until the server ends the stream, then the reason. */
async function printEvents(io: CliIo, channel: string, body: ReadableStream<Uint8Array>): Promise<void> {
  const decoder = new TextDecoder();
  let ending = 'the server ended the stream';
  const parser = createParser({
    onEvent({ event, data }) {
      if (event === undefined) io.out(`${publicationLine(io, data)}\n`);
      else ending = ENDINGS[event]?.(channel) ?? ending;
    },
  });
  for await (const piece of body) {
    parser.feed(decoder.decode(piece, { stream: true }));
    await io.outTaken();
  }
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
  ],
  async run({ args: [channel = ''], settings: { fromOffset: from, server, token }, io }) {
    const isPublic = parseName(channel).visibility === 'public';
    const interrupted = io.interrupted();
    try {
      const body = await openStream(io, { server, token, channel, from }, interrupted);
      await printEvents(io, channel, body);
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
