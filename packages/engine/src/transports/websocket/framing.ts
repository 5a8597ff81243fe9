import { constants, deflateRawSync } from 'node:zlib';
import { jsonCodec, protobufCodec } from '@msg/protocol';
import type { Framing } from '../contract.ts';

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

/** Text frames, messages joined by newlines. */
function jsonFraming(key: number, build: typeof plainFrame): Framing {
  return { key, codec: jsonCodec, frame: messages => build(TEXT, messages, 0x0a) };
}

/** Binary frames, messages with their length prefixes. */
function protobufFraming(key: number, build: typeof plainFrame): Framing {
  return { key, codec: protobufCodec, frame: messages => build(BINARY, messages, null) };
}

const JSON_PLAIN = jsonFraming(0, plainFrame);
const PROTOBUF_PLAIN = protobufFraming(1, plainFrame);
const JSON_COMPRESSED = jsonFraming(2, compressedFrame);
const PROTOBUF_COMPRESSED = protobufFraming(3, compressedFrame);

/** The framing of a WebSocket, one constant per kind. `compressed`: permessage-deflate was negotiated. */
export function websocketFraming(encoding: 'json' | 'protobuf', compressed: boolean): Framing {
  if (encoding === 'json') return compressed ? JSON_COMPRESSED : JSON_PLAIN;
  return compressed ? PROTOBUF_COMPRESSED : PROTOBUF_PLAIN;
}
