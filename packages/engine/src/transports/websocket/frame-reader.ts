import { isUtf8 } from 'node:buffer';
import { CloseStatus, isReceivableStatus } from './close-status.ts';
import { FIN, Opcode, RSV1, RSV2_RSV3 } from './frame-format.ts';
import { inflated } from './message-compression.ts';

/** What a peer sends. After {@link FrameEvents.closeReceived} and {@link FrameEvents.violated} nothing follows. */
export interface FrameEvents {
  /** A whole message; the bytes belong to the receiver until it returns. */
  messageReceived(bytes: Buffer): void;
  pingReceived(payload: Buffer): void;
  pongReceived(): void;
  /** `status` 1005: the frame has none. */
  closeReceived(status: number, reason: Buffer): void;
  /** The peer breaks the protocol or a limit; it is due a close frame with this status. */
  violated(status: number): void;
}

/** What connections of a kind have in common. */
export interface FrameRules {
  /** Maximum bytes of a message, compressed and not. */
  readonly messageBytes: number;
  /** permessage-deflate was negotiated. */
  readonly compressed: boolean;
}

/** A message that did not come in one piece. */
interface PartialMessage {
  readonly isText: boolean;
  readonly isCompressed: boolean;
  /** Unmasked payload so far, and room for more. */
  bytes: Buffer;
  length: number;
  /** Of the frame under way: bytes that are still to come, the mask, and how far it is used. */
  left: number;
  isFinal: boolean;
  readonly mask: Uint8Array;
  maskAt: number;
}

/** No frame begins here yet: its beginning is kept until more comes. */
const INCOMPLETE = -1;
/** First room of a message that comes in pieces. It grows with what came, not with what a header promises. */
const FIRST_ROOM_BYTES = 512;

/**
 * Reads the frames of one client (RFC 6455, 5). A message that comes whole is handed on where it stands in the chunk, and a
 * connection without a message under way holds nothing but this object.
 */
export class FrameReader {
  readonly #events: FrameEvents;
  readonly #rules: FrameRules;
  /** The beginning of a frame: a part of its header, or of a control frame. */
  #beginning: Uint8Array | undefined = undefined;
  #message: PartialMessage | undefined = undefined;
  #ended = false;

  constructor(events: FrameEvents, rules: FrameRules) {
    this.#events = events;
    this.#rules = rules;
  }

  /** Reads what came next. The bytes are changed in place. */
  read(chunk: Buffer): void {
    const bytes = this.#beginning === undefined ? chunk : Buffer.concat([this.#beginning, chunk]);
    this.#beginning = undefined;
    let at = 0;
    while (at < bytes.length && !this.#ended) {
      const message = this.#message;
      const next =
        message !== undefined && message.left > 0 ? this.#payload(bytes, at) : this.#frame(bytes, at);
      if (next === INCOMPLETE) {
        this.#beginning = new Uint8Array(bytes.subarray(at)); // neither the whole chunk nor a part of a pool
        return;
      }
      at = next;
    }
  }

  /** Reads the header that begins at `at`, and its payload where that is whole. Returns where it ends. */
  #frame(bytes: Buffer, at: number): number {
    if (bytes.length - at < 2) return INCOMPLETE;
    const [first, second] = [bytes[at] as number, bytes[at + 1] as number];
    if (!this.#isValid(first, second)) return this.#violate(CloseStatus.ProtocolError, bytes);
    const short = second & 0x7f;
    const lengthBytes = short < 126 ? 0 : short === 126 ? 2 : 8;
    const start = at + 2 + lengthBytes + 4;
    if (bytes.length < start) return INCOMPLETE;
    const length = lengthBytes === 0 ? short : longLength(bytes, at + 2, lengthBytes);
    const isWhole = bytes.length - start >= length;
    const opcode = first & 0x0f;
    if (opcode >= Opcode.Close) {
      if (!isWhole) return INCOMPLETE;
      unmask(bytes, start, start + length, bytes.subarray(start - 4, start), 0);
      this.#control(opcode, bytes.subarray(start, start + length));
      return start + length;
    }
    if ((this.#message?.length ?? 0) + length > this.#rules.messageBytes)
      return this.#violate(CloseStatus.MessageTooBig, bytes);
    if (isWhole && this.#message === undefined && (first & FIN) !== 0) {
      unmask(bytes, start, start + length, bytes.subarray(start - 4, start), 0);
      this.#deliver(bytes.subarray(start, start + length), opcode === Opcode.Text, (first & RSV1) !== 0);
      return start + length;
    }
    this.#begin(first, length, bytes.subarray(start - 4, start));
    return this.#payload(bytes, start);
  }

  /** Whether a frame with these two bytes may stand here. */
  #isValid(first: number, second: number): boolean {
    const isMasked = (second & 0x80) !== 0;
    if (!isMasked || (first & RSV2_RSV3) !== 0) return false;
    const opcode = first & 0x0f;
    const isCompressed = (first & RSV1) !== 0;
    if (isCompressed && !this.#rules.compressed) return false;
    switch (opcode) {
      case Opcode.Continuation:
        return this.#message !== undefined && !isCompressed;
      case Opcode.Text:
      case Opcode.Binary:
        return this.#message === undefined;
      case Opcode.Close:
      case Opcode.Ping:
      case Opcode.Pong: {
        const length = second & 0x7f;
        if ((first & FIN) === 0 || isCompressed || length > 125) return false;
        return opcode !== Opcode.Close || length !== 1;
      }
      default:
        return false;
    }
  }

  /** A frame of a message begins that is not the whole message, or not here as a whole. */
  #begin(first: number, length: number, mask: Uint8Array): void {
    const isFinal = (first & FIN) !== 0;
    if (this.#message === undefined) {
      this.#message = {
        isText: (first & 0x0f) === Opcode.Text,
        isCompressed: (first & RSV1) !== 0,
        bytes: Buffer.allocUnsafeSlow(FIRST_ROOM_BYTES),
        length: 0,
        left: length,
        isFinal,
        mask: Uint8Array.from(mask),
        maskAt: 0,
      };
      return;
    }
    const message = this.#message;
    message.left = length;
    message.isFinal = isFinal;
    message.mask.set(mask);
    message.maskAt = 0;
  }

  /** Takes the payload of the frame under way that is in `bytes`. Returns where it ends. */
  #payload(bytes: Buffer, at: number): number {
    const message = this.#message as PartialMessage; // a frame is under way
    const end = Math.min(at + message.left, bytes.length);
    const taken = end - at;
    unmask(bytes, at, end, message.mask, message.maskAt);
    makeRoom(message, taken, this.#rules.messageBytes);
    bytes.copy(message.bytes, message.length, at, end);
    message.length += taken;
    message.left -= taken;
    message.maskAt = (message.maskAt + taken) & 3;
    if (message.left > 0 || !message.isFinal) return end;
    this.#message = undefined;
    this.#deliver(message.bytes.subarray(0, message.length), message.isText, message.isCompressed);
    return end;
  }

  #deliver(payload: Buffer, isText: boolean, isCompressed: boolean): void {
    const bytes = isCompressed ? inflated(payload, this.#rules.messageBytes) : payload;
    if (typeof bytes === 'number') this.#violate(bytes, payload);
    else if (isText && !isUtf8(bytes)) this.#violate(CloseStatus.InvalidPayload, payload);
    else this.#events.messageReceived(bytes);
  }

  #control(opcode: number, payload: Buffer): void {
    if (opcode === Opcode.Ping) this.#events.pingReceived(payload);
    else if (opcode === Opcode.Pong) this.#events.pongReceived();
    else this.#close(payload);
  }

  #close(payload: Buffer): void {
    const hasStatus = payload.length > 0;
    const status = hasStatus ? payload.readUInt16BE(0) : CloseStatus.None;
    const reason = payload.subarray(2);
    if (hasStatus && !isReceivableStatus(status)) {
      this.#violate(CloseStatus.ProtocolError, payload);
      return;
    }
    if (!isUtf8(reason)) {
      this.#violate(CloseStatus.InvalidPayload, payload);
      return;
    }
    this.#ended = true;
    this.#events.closeReceived(status, reason);
  }

  /** Reads no more. Returns the end of `bytes`. */
  #violate(status: number, bytes: Buffer): number {
    this.#ended = true;
    this.#message = undefined;
    this.#events.violated(status);
    return bytes.length;
  }
}

/** A length of two or eight bytes; exact as far as limits reach. */
function longLength(bytes: Buffer, at: number, lengthBytes: number): number {
  if (lengthBytes === 2) return bytes.readUInt16BE(at);
  return bytes.readUInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4);
}

function unmask(bytes: Buffer, start: number, end: number, mask: Uint8Array, maskAt: number): void {
  for (let i = start, m = maskAt; i < end; i++, m = (m + 1) & 3) {
    bytes[i] = (bytes[i] as number) ^ (mask[m] as number);
  }
}

/** Room for `more` bytes: doubled, up to the longest message. */
function makeRoom(message: PartialMessage, more: number, most: number): void {
  const needed = message.length + more;
  if (needed <= message.bytes.length) return;
  const room = Buffer.allocUnsafeSlow(Math.max(needed, Math.min(2 * message.bytes.length, most)));
  message.bytes.copy(room, 0, 0, message.length);
  message.bytes = room;
}
