import { Batch } from '../delivery/batch.ts';
import type { SharedReply } from '../replies/shared-reply.ts';
import type { FrameRecorder } from './frame-recorder.ts';

/**
 * Bytes that are written to the socket at a time, so that a slow reader is seen to make progress (client protocol 6.6).
 */
export const PIECE_BYTES = 65_536;

/**
 * The messages that wait for one socket, as shared batches and long replies, and the order in which they leave in pieces.
 * {@link WriteQueue} extends it by the socket: one object, because every connection has one.
 */
export class MessageQueue {
  /** The batch still open for messages. */
  #open: Batch | null = null;
  /** The queue before `#open`; exists only during a burst, for a slow reader or a long reply. */
  #full: (Batch | SharedReply)[] | null = null;
  /** The long reply that is being written. */
  #reply: SharedReply | null = null;
  /** The rest of bytes that exceeded one piece. */
  #rest: Uint8Array | null = null;
  /** Message bytes in `#full` and `#open`. */
  protected queuedBytes = 0;
  /** Queued message bytes up to the end of the last reply. */
  protected bytesToLastReply = 0;
  /** Keeps copies of what passes; undefined without one. */
  recorder: FrameRecorder | undefined = undefined;

  /** Bytes that are queued or being written, and not yet taken. */
  protected get pendingBytes(): number {
    if (!this.inFrame) return this.queuedBytes;
    return this.queuedBytes + (this.#reply?.remaining ?? 0) + (this.#rest?.length ?? 0);
  }

  /** True inside a frame: the next piece continues it. */
  protected get inFrame(): boolean {
    return this.#rest !== null || this.#reply !== null;
  }

  protected append(message: Batch | SharedReply): void {
    this.queuedBytes += message.size;
    const open = this.#open;
    if (!(message instanceof Batch)) {
      this.#close(open);
      this.#full ??= [];
      this.#full.push(message);
      this.#open = null;
    } else if (open === null) this.#open = message;
    else if (open.accepts(message.size)) this.#open = open.append(message);
    else {
      this.#close(open);
      this.#open = message;
    }
  }

  #close(open: Batch | null): void {
    if (open === null) return;
    if (this.#full === null) this.#full = [open];
    else this.#full.push(open);
  }

  /** True while a long reply is being written or is next. */
  protected get isReplyNext(): boolean {
    if (this.#reply !== null) return true;
    const next = this.#full?.[0];
    return next !== undefined && !(next instanceof Batch);
  }

  /** Removes the next piece; null when the queue is empty. */
  protected nextPiece(): Uint8Array | null {
    const bytes = this.#rest ?? this.#nextBytes();
    if (bytes === null) return null;
    if (bytes.length <= PIECE_BYTES) {
      this.#rest = null;
      return bytes;
    }
    this.#rest = bytes.subarray(PIECE_BYTES);
    return bytes.subarray(0, PIECE_BYTES);
  }

  #nextBytes(): Uint8Array | null {
    if (this.#reply === null) {
      const message = this.#dequeue();
      if (this.recorder !== undefined && message !== null) recordSent(this.recorder, message);
      if (message === null || message instanceof Batch) return message === null ? null : message.frame();
      this.#reply = message;
    }
    const bytes = this.#reply.next();
    if (this.#reply.remaining === 0) {
      this.#reply.release();
      this.#reply = null;
    }
    return bytes;
  }

  #dequeue(): Batch | SharedReply | null {
    let message: Batch | SharedReply | null = this.#open;
    if (this.#full === null) this.#open = null;
    else {
      message = this.#full.shift() as Batch | SharedReply;
      if (this.#full.length === 0) this.#full = null;
    }
    if (message === null) return null;
    this.queuedBytes -= message.size;
    if (this.bytesToLastReply > 0) this.bytesToLastReply -= message.size;
    return message;
  }

  /** Drops everything, including a partly written message. */
  protected clear(): void {
    this.#reply?.release();
    for (const message of this.#full ?? []) if (!(message instanceof Batch)) message.release();
    this.#open = null;
    this.#full = null;
    this.#reply = null;
    this.#rest = null;
    this.queuedBytes = 0;
  }
}

function recordSent(recorder: FrameRecorder, message: Batch | SharedReply): void {
  if (!(message instanceof Batch)) recorder.sentInPieces(message.size);
  else for (const single of message.messages()) recorder.sent(single);
}
