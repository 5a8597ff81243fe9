import type { DecodeLimits } from '../limits.ts';
import { RecordCodec } from '../protobuf/record.ts';
import type { Init } from '../schema/message-type.ts';
import { type ControlCommand, controlCommandType } from './messages.ts';

/** Nodes trust each other, but a foreign message on their channel must not use unbounded memory. */
const CONTROL_LIMITS: DecodeLimits = { messageBytes: 16_777_216, depth: 64, payloadDepth: 0, items: 262_144 };

const records = new RecordCodec(CONTROL_LIMITS);

/** The bytes of a control message for PUB/SUB (client protocol 17). */
export function encodeControl(command: Init<ControlCommand>): Uint8Array {
  return records.encode(controlCommandType, command);
}

/** Decodes a control message. @throws DecodeError */
export function decodeControl(bytes: Uint8Array): ControlCommand {
  return records.decode(controlCommandType, bytes);
}
