import { Batch } from '../delivery/batch.ts';
import type { SharedReply } from '../replies/shared-reply.ts';

/** Bytes given to the socket in one piece, so that a slow but moving reader is seen to move (client protocol 6.6). */
export const PIECE_BYTES = 65_536;

/**
 * What waits for one socket: messages as shared batches, and long replies, in the order in which they leave as pieces. The
 * {@link WriteQueue} is one that knows its socket; they are one object, because every connection has it.
 */
export class MessageQueue {
  /** The batch still open for messages. */
  #open: Batch | null = null;
  /** What is queued before it; exists only while a burst, a slow reader or a long reply needs it. */
  #full: (Batch | SharedReply)[] | null = null;
  /** The long reply that is being written. */
  #reply: SharedReply | null = null;
  /** What is left of bytes too many for one piece. */
  #rest: Uint8Array | null = null;
  /** Message bytes in `#full` and `#open`. */
  protected queuedBytes = 0;
  /** Queued message bytes up to the end of the last reply. */
  protected bytesToLastReply = 0;

  /** Bytes that are queued or being written, and not yet handed out. */
  protected get pendingBytes(): number {
    const rest = this.#rest === null ? 0 : this.#rest.length;
    const reply = this.#reply === null ? 0 : this.#reply.remaining;
    return this.queuedBytes + reply + rest;
  }

  /** A frame was begun: the next piece goes on with it. */
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

  /** A long reply is written, or the next to be. */
  protected get isReplyNext(): boolean {
    if (this.#reply !== null) return true;
    const next = this.#full?.[0];
    return next !== undefined && !(next instanceof Batch);
  }

  /** Takes the next piece out; null when nothing waits. */
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

  /** Drops everything, what is half written too. */
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
