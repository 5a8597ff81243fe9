import { MessageStream } from './message-stream.ts';

/**
 * Cuts a byte stream into frames of one undecoded message each: JSON text, or Protobuf with its length. For transports
 * that carry a stream (client protocol 4.5).
 */
export class FrameStream extends MessageStream<Uint8Array> {
  /** A part of what was pushed, without copying it. */
  protected override decode(bytes: Uint8Array, _start: number, end: number, head: number): Uint8Array {
    return bytes.subarray(head, end);
  }
}
