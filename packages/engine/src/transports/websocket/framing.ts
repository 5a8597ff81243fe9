import { jsonCodec, protobufCodec, type ServerCodec } from '@msg/protocol';
import type { Framing } from '../contract.ts';

const FIN = 0x80;
const TEXT = 0x1;
const BINARY = 0x2;

/** Bytes of an unmasked frame's header for a payload of `length` bytes (RFC 6455, 5.2). */
function headerLength(length: number): number {
  if (length < 126) return 2;
  return length < 65_536 ? 4 : 10;
}

function writeHeader(target: Buffer, opcode: number, length: number): void {
  target[0] = FIN | opcode;
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
function frame(opcode: number, messages: readonly Uint8Array[], separator: number | null): Uint8Array {
  let length = separator === null ? 0 : messages.length - 1;
  for (const message of messages) length += message.length;
  const start = headerLength(length);
  const result = Buffer.allocUnsafe(start + length);
  writeHeader(result, opcode, length);
  let at = start;
  for (let i = 0; i < messages.length; i++) {
    if (separator !== null && i > 0) result[at++] = separator;
    const message = messages[i] as Uint8Array;
    result.set(message, at);
    at += message.length;
  }
  return result;
}

function framing(key: number, codec: ServerCodec, opcode: number, separator: number | null): Framing {
  return { key, codec, frame: messages => frame(opcode, messages, separator) };
}

/** Text frames, messages joined by newlines. */
export const websocketJson: Framing = framing(0, jsonCodec, TEXT, 0x0a);
/** Binary frames, messages with their length prefixes. */
export const websocketProtobuf: Framing = framing(1, protobufCodec, BINARY, null);
