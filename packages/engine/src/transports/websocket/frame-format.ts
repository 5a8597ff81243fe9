import { CloseStatus } from './close-status.ts';

/** The first byte of a frame (RFC 6455, 5.2): the last frame of its message. */
export const FIN = 0x80;
/** The message is compressed (RFC 7692, 6). */
export const RSV1 = 0x40;
/** Reserved bits that no extension of ours uses. */
export const RSV2_RSV3 = 0x30;

/** What a frame is (RFC 6455, 11.8). From `Close` on it is a control frame. */
export const Opcode = {
  Continuation: 0x0,
  Text: 0x1,
  Binary: 0x2,
  Close: 0x8,
  Ping: 0x9,
  Pong: 0xa,
} as const;

const NOTHING = new Uint8Array(0);

/** Bytes of an unmasked frame's header for a payload of `length` bytes. */
export function headerLength(length: number): number {
  if (length < 126) return 2;
  return length < 65_536 ? 4 : 10;
}

/** Writes the header of an unmasked frame. */
export function writeHeader(target: Buffer, firstByte: number, length: number): void {
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

/** A control frame, of at most 125 bytes. */
export function controlFrame(opcode: number, payload: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(2 + payload.length);
  writeHeader(frame, FIN | opcode, payload.length);
  frame.set(payload, 2);
  return frame;
}

/** A close frame with a reason of at most 123 bytes; with status 1005 it is empty. */
export function closeFrame(status: number, reason: string | Uint8Array): Buffer {
  if (status === CloseStatus.None) return controlFrame(Opcode.Close, NOTHING);
  const text = Buffer.from(reason);
  const payload = Buffer.allocUnsafe(2 + text.length);
  payload.writeUInt16BE(status);
  payload.set(text, 2);
  return controlFrame(Opcode.Close, payload);
}
