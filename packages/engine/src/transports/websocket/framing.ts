import { jsonCodec, protobufCodec, type ServerCodec } from '@msg/protocol';
import type { Envelope, Framing } from '../contract.ts';
import { FIN, headerLength, Opcode, RSV1, writeHeader } from './frame-format.ts';
import { deflated } from './message-compression.ts';

/** Below this many bytes compression costs more than it saves. */
const COMPRESSED_BYTES = 512;

/** One WebSocket message of several protocol messages, header and payload in one buffer. */
function plainFrame(opcode: number, messages: readonly Uint8Array[], separator: number | null): Buffer {
  let length = separator === null ? 0 : messages.length - 1;
  for (const message of messages) length += message.length;
  const start = headerLength(length);
  const result = Buffer.allocUnsafe(start + length);
  writeHeader(result, FIN | opcode, length);
  let at = start;
  for (let i = 0; i < messages.length; i++) {
    if (separator !== null && i > 0) result[at++] = separator;
    const message = messages[i] as Uint8Array;
    result.set(message, at);
    at += message.length;
  }
  return result;
}

/** The same, compressed without context takeover, so that all receivers can share it. */
function compressedFrame(opcode: number, messages: readonly Uint8Array[], separator: number | null): Buffer {
  const plain = plainFrame(opcode, messages, separator);
  if (plain.length < COMPRESSED_BYTES) return plain;
  const payload = plain.subarray((plain[1] as number) < 126 ? 2 : plain[1] === 126 ? 4 : 10);
  const blocks = deflated(payload);
  const { length } = blocks;
  if (length >= payload.length) return plain;
  const start = headerLength(length);
  const result = Buffer.allocUnsafe(start + length);
  writeHeader(result, FIN | RSV1 | opcode, length);
  blocks.copy(result, start);
  return result;
}

const NOTHING = new Uint8Array(0);

/** One frame for a payload that is written in pieces: only its header stands around it. */
function envelope(firstByte: number, length: number): Envelope {
  const before = Buffer.alloc(headerLength(length));
  writeHeader(before, firstByte, length);
  return { before, after: NOTHING };
}

/** Text frames, messages joined by newlines; binary frames, messages with their length prefixes. */
function framing(key: number, codec: ServerCodec, compressed: boolean): Framing {
  const [opcode, separator] = codec.encoding === 'json' ? [Opcode.Text, 0x0a] : [Opcode.Binary, null];
  const build = compressed ? compressedFrame : plainFrame;
  const plain: Framing = {
    key,
    codec,
    frame: messages => build(opcode, messages, separator),
    envelope: bytes => envelope(FIN | opcode, bytes),
  };
  if (!compressed) return plain;
  return { ...plain, deflatedEnvelope: bytes => envelope(FIN | RSV1 | opcode, bytes) };
}

const JSON_PLAIN = framing(0, jsonCodec, false);
const PROTOBUF_PLAIN = framing(1, protobufCodec, false);
const JSON_COMPRESSED = framing(2, jsonCodec, true);
const PROTOBUF_COMPRESSED = framing(3, protobufCodec, true);

/** The framing of a WebSocket, one constant per kind. `compressed`: permessage-deflate was negotiated. */
export function websocketFraming(encoding: 'json' | 'protobuf', compressed: boolean): Framing {
  if (encoding === 'json') return compressed ? JSON_COMPRESSED : JSON_PLAIN;
  return compressed ? PROTOBUF_COMPRESSED : PROTOBUF_PLAIN;
}
