import { constants, deflateRawSync } from 'node:zlib';
import { jsonCodec, protobufCodec, type ServerCodec } from '@msg/protocol';
import type { Envelope, Framing } from '../contract.ts';

const FIN = 0x80;
/** The message is compressed (RFC 7692, 6). */
const RSV1 = 0x40;
const TEXT = 0x1;
const BINARY = 0x2;

/** Below this many bytes compression costs more than it saves. */
const COMPRESSED_BYTES = 512;
/** What a sync flush ends with and a compressed message leaves out (RFC 7692, 7.2.1). */
const FLUSH_TAIL_BYTES = 4;

/** Bytes of an unmasked frame's header for a payload of `length` bytes (RFC 6455, 5.2). */
function headerLength(length: number): number {
  if (length < 126) return 2;
  return length < 65_536 ? 4 : 10;
}

function writeHeader(target: Buffer, firstByte: number, length: number): void {
  target[0] = firstByte;
  if (length < 126) target[1] = length;
  else if (length < 65_536) {
    target[1] = 126;
    target.writeUInt16BE(length, 2);
  } else {
    target[1] = 127;
    target.writeBigUInt64BE(BigInt(length), 2);
  }
}

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
  const deflated = deflateRawSync(payload, { finishFlush: constants.Z_SYNC_FLUSH });
  const length = deflated.length - FLUSH_TAIL_BYTES;
  if (length >= payload.length) return plain;
  const start = headerLength(length);
  const result = Buffer.allocUnsafe(start + length);
  writeHeader(result, FIN | RSV1 | opcode, length);
  deflated.copy(result, start, 0, length);
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
  const [opcode, separator] = codec.encoding === 'json' ? [TEXT, 0x0a] : [BINARY, null];
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
