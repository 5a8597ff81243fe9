import { formatTimestamp } from '@msg/core/internal';
import { type RecordedMessage, type RecordedMessages, recordedCommands, recordedReplies } from '@msg/engine';
import { isJsonText } from '@msg/foundation/json';
import { withoutSecrets } from '../audit/record.ts';
import { readToken } from '../config/token-text.ts';
import { type KeptFrame, MAX_FRAME_BYTES } from './frame-ring.ts';

/** A message of a recording as operators see it. */
export interface FrameRow {
  /** Number of its frame; messages of one frame have the same. */
  readonly number: number;
  readonly at: string;
  /** Seen from the server: `in` or `out`. */
  readonly direction: 'in' | 'out';
  /** Command, reply or push; `closed` for the end of the connection, empty for bytes that were not decoded. */
  readonly name: string;
  readonly id: number;
  readonly channel: string;
  /** Bytes of the frame. */
  readonly size: number;
  readonly code: number;
  /** A JSON object: members of the message, tokens as `{kid, sub, jti, exp}`, payloads as `{size, encoding, text?}`. */
  readonly detail: string;
  /** Why nothing, or not everything, was decoded. */
  readonly error: string;
}

export interface RowOptions {
  readonly encoding: 'json' | 'protobuf';
  /** Payloads are shown; else only their sizes. */
  readonly payloads: boolean;
  /** Names of the channels that pushes name by a number. */
  readonly channels: ReadonlyMap<number, string>;
}

/** What a token says about itself; its text never leaves the node. */
function tokenOf(text: string): object {
  const token = readToken(text);
  if (token === undefined) return { size: text.length };
  const { header, claims } = token;
  return { kid: header['kid'], sub: claims['sub'], jti: claims['jti'], exp: claims['exp'] };
}

function payloadOf(bytes: Uint8Array, isShown: boolean): object {
  const text = textOf(bytes);
  const encoding = text === undefined ? 'base64' : isJsonText(text) ? 'json' : 'text';
  const about = { size: bytes.length, encoding };
  if (!isShown) return about;
  const content = text === undefined ? Buffer.from(bytes).toString('base64') : withoutSecrets(text);
  return { ...about, text: content };
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Members of a message without what could be a secret. */
function detailOf({ members, tokens, payloads }: RecordedMessage, isShown: boolean): string {
  const texts = Object.entries(members).map(([name, value]) => [name, scrubbed(value)]);
  const about = Object.entries(tokens).map(([name, text]) => [name, tokenOf(text)]);
  const sizes = Object.entries(payloads).map(([name, bytes]) => [name, payloadOf(bytes, isShown)]);
  return JSON.stringify(Object.fromEntries([...texts, ...about, ...sizes]));
}

function scrubbed(value: RecordedMessage['members'][string]): unknown {
  if (typeof value === 'string') return withoutSecrets(value);
  return typeof value === 'object' ? value.map(withoutSecrets) : value;
}

function decoded({ direction, bytes, size }: KeptFrame, encoding: RowOptions['encoding']): RecordedMessages {
  if (bytes.length === 0) return { messages: [], error: 'a long reply: its bytes are not kept' };
  const result = direction === 'in' ? recordedCommands(encoding, bytes) : recordedReplies(encoding, bytes);
  if (size <= MAX_FRAME_BYTES) return result;
  return { ...result, error: `longer than ${MAX_FRAME_BYTES} bytes: the rest is not kept` };
}

/** The messages of a frame, without tokens and, unless they are shown, without payloads. */
export function frameRows(
  frame: KeptFrame,
  { encoding, payloads, channels }: RowOptions,
): readonly FrameRow[] {
  const { number, direction, size, end } = frame;
  const row = {
    number,
    at: formatTimestamp(frame.at),
    direction,
    name: '',
    id: 0,
    channel: '',
    size,
    code: 0,
    detail: '{}',
    error: '',
  };
  if (end !== undefined) {
    const detail = JSON.stringify({ reason: withoutSecrets(end.reason) });
    return [{ ...row, name: 'closed', code: end.code, detail }];
  }
  const { messages, error } = decoded(frame, encoding);
  const rows = messages.map(message => ({
    ...row,
    name: message.name,
    id: message.id,
    channel: withoutSecrets(message.channel || channels.get(message.channelId) || ''),
    code: message.code,
    detail: detailOf(message, payloads),
  }));
  return error === undefined ? rows : [...rows, { ...row, error }];
}
