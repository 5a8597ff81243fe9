import {
  type Codec,
  type Command,
  type CommandKind,
  DecodeError,
  type Encoding,
  jsonCodec,
  protobufCodec,
} from '@msg/protocol';
import { type Parts, type RecordedMessage, type RecordedMessages, recorded } from './recorded-message.ts';
import { ofReply } from './recorded-replies.ts';

const CODECS: Readonly<Record<Encoding, Codec>> = { json: jsonCodec, protobuf: protobufCodec };

type Requests = { readonly [K in CommandKind]: (request: Extract<Command, { kind: K }>['request']) => Parts };

/** What is shown of each command. */
const REQUESTS: Requests = {
  connect: ({ token, data, name, version, subs }) => ({
    members: { name, version, subs: [...subs.keys()] },
    tokens: { token },
    payloads: { data },
  }),
  subscribe: ({
    channel,
    token,
    data,
    recover,
    offset,
    epoch,
    positioned,
    recoverable,
    joinLeave,
    delta,
    tf,
  }) => ({
    channel,
    members: {
      recover,
      offset,
      epoch,
      positioned,
      recoverable,
      join_leave: joinLeave,
      delta,
      tags_filter: tf !== null,
    },
    tokens: { token },
    payloads: { data },
  }),
  unsubscribe: ({ channel }) => ({ channel }),
  publish: ({ channel, data }) => ({ channel, payloads: { data: data.bytes } }),
  presence: ({ channel }) => ({ channel }),
  presence_stats: ({ channel }) => ({ channel }),
  history: ({ channel, limit, reverse, since }) => ({
    channel,
    members: { limit, reverse, since_offset: since?.offset ?? 0, since_epoch: since?.epoch ?? '' },
  }),
  rpc: ({ method, data }) => ({ members: { method }, payloads: { data } }),
  send: ({ data }) => ({ payloads: { data } }),
  refresh: ({ token }) => ({ tokens: { token } }),
  sub_refresh: ({ channel, token }) => ({ channel, tokens: { token } }),
  ping: () => ({}),
  none: () => ({}),
};

function ofCommand({ kind, id, request }: Command): RecordedMessage {
  const partsOf = REQUESTS[kind] as (request: Command['request']) => Parts; // the row of its own kind
  return recorded(kind === 'none' ? 'pong' : kind, { id, ...partsOf(request) });
}

function readAll<T>(next: () => T | null, show: (message: T) => RecordedMessage): RecordedMessages {
  const messages: RecordedMessage[] = [];
  try {
    for (let message = next(); message !== null; message = next()) messages.push(show(message));
    return { messages };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return { messages, error: error.message };
  }
}

/** The commands of a frame that a client sent. Bytes that do not decode are an error, not a failure. */
export function recordedCommands(encoding: Encoding, frame: Uint8Array): RecordedMessages {
  let reader: ReturnType<Codec['commands']> | undefined;
  return readAll(() => {
    reader ??= CODECS[encoding].commands(frame);
    return reader.next();
  }, ofCommand);
}

/** The reply or push of one message that a client was sent. */
export function recordedReplies(encoding: Encoding, message: Uint8Array): RecordedMessages {
  let reader: ReturnType<Codec['replies']> | undefined;
  return readAll(() => {
    reader ??= CODECS[encoding].replies(message);
    return reader.next();
  }, ofReply);
}
