import { count, list, type Resolved, type SettingGroup, valueFlag } from '@msg/command-line';
import { resolve, resolveAll, safeText } from '@msg/command-line/internal';
import type { RpcResponse } from '@msg/core';
import { isRecord } from '@msg/foundation/json';
import { CLIENT_SETTINGS } from '../config/client-settings.ts';
import { callsOf, type MsgCommand, rpcCommand, withOutput } from './command.ts';
import { openStream, readEvents } from './event-stream.ts';
import type { CliEnvironment } from './io.ts';
import { tagsOf } from './tags.ts';

type Invocation = Parameters<MsgCommand['run']>[0];
type Calls = Awaited<ReturnType<typeof callsOf>>['call'];
type FeedAccess = RpcResponse<'OpenFeed'>;
/** A message of a feed. */
interface FeedMessage {
  readonly topic: string;
  readonly at: string;
  readonly data: unknown;
}

const FEED = { name: 'feed', help: 'id of a feed, as `msg feeds open` shows it' };
const NAME = { name: 'name', help: 'an open channel' };
const TOPIC_WORDS = ['stats', 'hints', 'lifecycle', 'dlq', 'jobs', 'audit', 'recording'];
const TOPIC_NAMES = TOPIC_WORDS.join(', ');
/** The next token is fetched so long before the end of one, milliseconds. */
const EARLY_MS = 60_000;

const TAIL_SETTINGS = {
  perSecond: valueFlag('--max-per-second', count, 20, 'publications that are shown in a second, 1 to 100'),
  maxPayloadBytes: valueFlag('--max-payload-bytes', count, 2048, 'a longer payload is cut; at most 16384'),
  tag: valueFlag('--tag', list, [], 'only publications with this tag, as name=value; repeatable'),
} as const satisfies SettingGroup;

/** @throws MsgError MSG_INVALID_ARGUMENT for a tag in another form */
function tailRequest({ perSecond, maxPayloadBytes, tag }: Resolved<typeof TAIL_SETTINGS>) {
  return { max_per_second: perSecond, max_payload_bytes: maxPayloadBytes, tags: tagsOf(tag) };
}

/**
 * Reads a feed until Ctrl-C or until the service ends it, and gives every message to `onMessage`; `begun` is called once the
 * feed is being read.
 */
async function follow(
  invocation: Invocation,
  call: Calls,
  { feed, channel, access_token, access_expires_unix }: FeedAccess,
  begun: () => Promise<void>,
  onMessage: (message: FeedMessage) => void,
): Promise<void> {
  const io = withOutput(invocation);
  const server = resolve(CLIENT_SETTINGS.server, invocation.sources);
  const interrupted = io.interrupted();
  const renew = setInterval(() => void call('RenewFeed', { feed }).catch(() => {}), EARLY_MS); // the end of the feed ends the stream
  let token = access_token;
  try {
    const isOver = (): boolean => interrupted.aborted;
    for (let isFirst = true, expires = access_expires_unix; !isOver(); isFirst = false) {
      const body = await openStream(io, { server, token, channel, from: 0 }, interrupted);
      if (isFirst) await begun();
      await readEvents(io, body, (event, text) => {
        if (event === undefined) onMessage(messageOf(text));
      });
      // The stream ends with its token; the feed goes on.
      if (io.now() < (expires - 1) * 1000) break;
      ({ access_token: token, access_expires_unix: expires } = await call('RenewFeed', { feed }));
    }
  } catch (error) {
    if (!interrupted.aborted) throw error;
  } finally {
    clearInterval(renew);
    await call('CloseFeed', { feed }).catch(() => {}); // it ends by itself, too
  }
}

/** The message of an event of the stream, which holds channel, offset and data. */
function messageOf(text: string): FeedMessage {
  const { data } = JSON.parse(text) as { readonly data: FeedMessage }; // the service's own messages
  return data;
}

const watch: MsgCommand = {
  name: 'watch',
  args: [{ name: 'topic', help: `one of ${TOPIC_NAMES}`, repeatable: true, words: TOPIC_WORDS }],
  summary: 'print what happens, one line each, until Ctrl-C',
  detail:
    'stats: the nodes, every 2 s; hints: what to look at; lifecycle: channels that open, close and end; dlq: sizes; jobs: ' +
    'of dead letters; audit and recording need the role operator.',
  settings: CLIENT_SETTINGS,
  examples: [
    { line: 'watch lifecycle', help: 'which channels open and close' },
    { line: 'watch hints dlq jobs', help: 'the state of things while something is repaired' },
  ],
  async run(invocation) {
    const io = withOutput(invocation);
    const { call } = await callsOf(invocation);
    const feed = await call('OpenFeed', { topics: invocation.args });
    await follow(
      invocation,
      call,
      feed,
      async () => {},
      message => io.out(`${messageLine(io, message)}\n`),
    );
  },
};

/** A message as one line: its JSON, or for people time, topic and data. */
function messageLine({ table }: CliEnvironment, message: FeedMessage): string {
  if (table === undefined) return JSON.stringify(message);
  return `${table.style.label(message.at.slice(11))}  ${message.topic}  ${safeText(JSON.stringify(message.data))}`;
}

const tail: MsgCommand = {
  name: 'channels tail',
  args: [NAME],
  summary: 'print a part of what is published in a channel, and how much passed, until Ctrl-C',
  detail:
    'Unlike `msg subscribe` it does not count as a subscriber, needs no access token and shows at most ' +
    '--max-per-second. A line without an item says how many were skipped. Viewers see no payloads.',
  settings: { ...TAIL_SETTINGS, ...CLIENT_SETTINGS },
  examples: [{ line: 'channels tail public:shop.news --tag topic=world', help: 'without being listened to' }],
  async run(invocation) {
    const io = withOutput(invocation);
    const request = tailRequest(resolveAll(TAIL_SETTINGS, invocation.sources));
    const { call } = await callsOf(invocation);
    const feed = await call('OpenFeed', { topics: [] });
    let skipped = 0;
    const start = async (): Promise<void> => {
      await call('StartTail', { feed: feed.feed, name: invocation.args[0] ?? '', ...request });
    };
    await follow(invocation, call, feed, start, ({ topic, data }) => {
      if (topic !== 'tail' || !isRecord(data)) return;
      const batch = data as unknown as TailBatch; // the service's own message
      for (const item of batch.items) io.out(`${itemLine(io, item)}\n`);
      if (batch.skipped !== skipped) io.err(`${batch.skipped} of ${batch.seen} skipped\n`);
      skipped = batch.skipped;
      if (batch.ended !== '') io.err(`the tail has ended: ${batch.ended}\n`);
    });
  },
};

interface TailBatch {
  readonly items: readonly { readonly at: string; readonly offset: number; readonly data: string }[];
  readonly seen: number;
  readonly skipped: number;
  readonly ended: string;
}

function itemLine({ table }: CliEnvironment, item: TailBatch['items'][number]): string {
  if (table === undefined) return JSON.stringify(item);
  return `${table.style.label(item.at.slice(11))}  ${item.offset}  ${safeText(item.data)}`;
}

const open = rpcCommand({
  name: 'feeds open',
  args: [
    { name: 'topic', help: `one of ${TOPIC_NAMES}`, repeatable: true, optional: true, words: TOPIC_WORDS },
  ],
  summary: 'a private channel in which the service tells what happens, with an access token of two minutes',
  detail:
    'It ends a minute after its token unless it is renewed. `msg watch` opens one, reads it and renews it.',
  method: 'OpenFeed',
  examples: [{ line: 'feeds open stats hints', help: 'for a program that listens with a stock client' }],
  async action(call, { args }) {
    return { kind: 'msg.feed', payload: await call({ topics: args }) };
  },
});

const renew = rpcCommand({
  name: 'feeds renew',
  args: [FEED],
  summary: 'the next access token of a feed',
  method: 'RenewFeed',
  examples: [{ line: 'feeds renew mfzwizltoq2gc3tbmfzwizltoq', help: 'with the credential that opened it' }],
  async action(call, { args: [feed = ''] }) {
    return { kind: 'msg.feed', payload: await call({ feed }) };
  },
});

const close = rpcCommand({
  name: 'feeds close',
  args: [FEED],
  summary: 'end a feed and its tails',
  method: 'CloseFeed',
  examples: [{ line: 'feeds close mfzwizltoq2gc3tbmfzwizltoq', help: 'instead of waiting for its end' }],
  async action(call, { args: [feed = ''] }) {
    await call({ feed });
    return { kind: 'msg.feed.closed', payload: { feed } };
  },
});

const startTail = rpcCommand({
  name: 'feeds tail',
  args: [FEED, NAME],
  summary: 'tell in a feed what is published in a channel; `msg channels tail` does it for people',
  method: 'StartTail',
  settings: TAIL_SETTINGS,
  examples: [{ line: 'feeds tail mfzwizltoq2gc3tbmfzwizltoq public:shop.news', help: 'at most 20 a second' }],
  async action(call, { args: [feed = '', name = ''], settings }) {
    return { kind: 'msg.tail', payload: await call({ feed, name, ...tailRequest(settings) }) };
  },
});

const stopTail = rpcCommand({
  name: 'feeds untail',
  args: [FEED, { name: 'tail', help: 'id of a tail, as `msg feeds tail` shows it' }],
  summary: 'end a tail; its last numbers come in the feed',
  method: 'StopTail',
  examples: [
    {
      line: 'feeds untail mfzwizltoq2gc3tbmfzwizltoq nf2gk3tbmfzwizltoqmfzwizlt',
      help: 'pause: begin another to go on',
    },
  ],
  async action(call, { args: [feed = '', id = ''] }) {
    await call({ feed, tail: id });
    return { kind: 'msg.tail.stopped', payload: { feed, tail: id } };
  },
});

/** `watch`, `channels tail` and `feeds …`. */
export const feedCommands: readonly MsgCommand[] = [watch, tail, open, renew, close, startTail, stopTail];
