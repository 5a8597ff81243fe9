import { jsonCodec, protobufCodec, type ServerCodec } from '@msg/protocol';
import type { Envelope, Framing } from '../contract.ts';

const LF = 0x0a;
const CRLF = Buffer.from('\r\n');
const NOTHING = Buffer.alloc(0);
const EVENT = Buffer.from('data: ');
const EVENT_END = Buffer.from('\n\n');

/** What stands around each message of a stream. */
interface Wrapping {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

const LINES: Wrapping = { before: NOTHING, after: Buffer.of(LF) };
const DELIMITED: Wrapping = { before: NOTHING, after: NOTHING };
const EVENTS: Wrapping = { before: EVENT, after: EVENT_END };

/** Messages one after the other, whole, as one piece of a stream. */
function join(messages: readonly Uint8Array[], { before, after }: Wrapping, chunked: boolean): Buffer {
  let length = messages.length * (before.length + after.length);
  for (const message of messages) length += message.length;
  // The size line of a chunk stands in the same buffer: receivers share it as they share frames.
  const head = chunked ? Buffer.from(`${length.toString(16)}\r\n`) : NOTHING;
  const result = Buffer.allocUnsafe(head.length + length + (chunked ? CRLF.length : 0));
  result.set(head);
  let at = head.length;
  for (const message of messages) {
    result.set(before, at);
    result.set(message, at + before.length);
    result.set(after, at + before.length + message.length);
    at += before.length + message.length + after.length;
  }
  if (chunked) result.set(CRLF, at);
  return result;
}

/** What {@link join} puts around one message of so many bytes. */
function envelope(bytes: number, { before, after }: Wrapping, chunked: boolean): Envelope {
  if (!chunked) return { before, after };
  const length = before.length + bytes + after.length;
  return {
    before: Buffer.concat([Buffer.from(`${length.toString(16)}\r\n`), before]),
    after: Buffer.concat([after, CRLF]),
  };
}

function framing(key: number, codec: ServerCodec, wrapping: Wrapping, chunked: boolean): Framing {
  return {
    key,
    codec,
    frame: messages => join(messages, wrapping, chunked),
    envelope: bytes => envelope(bytes, wrapping, chunked),
  };
}

/** What a stream carries: lines of JSON, length-delimited Protobuf, or server-sent events. */
export type StreamForm = 'json' | 'protobuf' | 'sse';

/** JSON lines and delimited Protobuf as bare bytes: what WebTransport carries, and HTTP/1.0. */
const PLAIN: Readonly<Record<StreamForm, Framing>> = {
  json: framing(5, jsonCodec, LINES, false),
  protobuf: framing(6, protobufCodec, DELIMITED, false),
  sse: framing(7, jsonCodec, EVENTS, false),
};

/** Each flush is one chunk (RFC 9112, 7.1), so that a whole batch arrives as one piece. */
const CHUNKED: Readonly<Record<StreamForm, Framing>> = {
  json: framing(8, jsonCodec, LINES, true),
  protobuf: framing(9, protobufCodec, DELIMITED, true),
  sse: framing(10, jsonCodec, EVENTS, true),
};

/** The framing of a stream, one constant per kind. `chunked`: the response has the chunked transfer coding. */
export function streamFraming(form: StreamForm, chunked: boolean): Framing {
  return (chunked ? CHUNKED : PLAIN)[form];
}

/** One chunk of those bytes. */
export function chunk(bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, CRLF]);
}

/** What ends a chunked response. */
export const LAST_CHUNK: Buffer = Buffer.from('0\r\n\r\n');
