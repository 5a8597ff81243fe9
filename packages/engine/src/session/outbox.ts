import { type TimerWheel, WheelTimer } from '../clock/timer-wheel.ts';
import type { NodeStats } from '../stats.ts';
import type { Transport } from '../transports/contract.ts';
import type { Batch } from './batch.ts';
import type { Flushable, Flusher } from './flusher.ts';

/** Bytes given to the socket in one piece, so that a slow but moving reader is seen to move (client protocol 6.6). */
const PIECE_BYTES = 65_536;

/** What outboxes of one node have in common. */
export interface OutboxContext {
  readonly flusher: Flusher;
  readonly wheel: TimerWheel;
  readonly stats: NodeStats;
  /** Push bytes that may wait for a slow reader. */
  readonly limitBytes: number;
  /** How long the peer may take nothing at all, milliseconds. */
  readonly stallMs: number;
}

/** Who owns an outbox. */
export interface OutboxOwner {
  /** More push bytes than the limit are waiting (3008). */
  outboxOverflowed(): void;
  /** The peer took nothing for the stall time (3009). */
  outboxStalled(): void;
  /** What was waiting fell below the limit again. */
  outboxRelieved(): void;
}

/**
 * The write queue of one connection. Messages are appended as shared batches; all that is queued in one turn
 * leaves in one write. A socket that reports back-pressure is not fed, so the limit means something: pushes
 * count towards it, replies to the client's own commands do not (client protocol 6.6).
 */
export class Outbox implements Flushable {
  readonly #context: OutboxContext;
  readonly #transport: Transport;
  readonly #owner: OutboxOwner;
  /** The batch still open for messages. */
  #open: Batch | null = null;
  /** Full batches before it; exists only while a burst or a slow reader needs it. */
  #full: Batch[] | null = null;
  /** What is left of a frame too large for one piece. */
  #rest: Uint8Array | null = null;
  /** Message bytes in `#full` and `#open`. */
  #queuedBytes = 0;
  /** Reply bytes among all that waits; an upper bound, corrected whenever it matters. */
  #replyBytes = 0;
  /** The socket is full: wait for `drained`. */
  #blocked = false;
  #congested = false;
  #closed = false;
  /** Bytes handed to the transport so far. */
  #handedBytes = 0;
  /** Runs only while the socket holds bytes that the operating system did not take at once. */
  #stallTimer: WheelTimer | null = null;
  /** Bytes taken by the operating system when the stall timer was set. */
  #takenBytes = 0;
  scheduled = false;

  constructor(context: OutboxContext, transport: Transport, owner: OutboxOwner) {
    this.#context = context;
    this.#transport = transport;
    this.#owner = owner;
  }

  /** Bytes not yet taken by the operating system. */
  get waitingBytes(): number {
    const rest = this.#rest;
    return this.#queuedBytes + (rest === null ? 0 : rest.length) + this.#transport.bufferedBytes();
  }

  /** True while more than the limit waits, replies included: no further command may run. */
  get congested(): boolean {
    if (!this.#congested) this.#congested = this.waitingBytes > this.#context.limitBytes;
    return this.#congested;
  }

  /** Queues a push, given as a batch of one message in this transport's framing. */
  push(message: Batch): void {
    if (this.#closed) return;
    this.#append(message);
    if (this.#blocked || this.#queuedBytes > this.#context.limitBytes) this.#checkLimit(message.size);
  }

  /** Queues a reply to a command of this connection. */
  reply(message: Batch): void {
    if (this.#closed) return;
    this.#replyBytes += message.size;
    this.#append(message);
  }

  /** Hands the socket what it takes, and tells the owner when little enough is waiting again. */
  flush(): void {
    this.#feed();
    if (!this.#congested || this.#closed || this.waitingBytes > this.#context.limitBytes) return;
    this.#congested = false;
    this.#owner.outboxRelieved();
  }

  /** The transport's buffer is empty again. */
  drained(): void {
    this.#blocked = false;
    this.flush();
  }

  /** Hands everything that is queued to the transport whatever it says, then accepts nothing more. */
  finish(): void {
    for (let piece = this.#nextPiece(); piece !== null; piece = this.#nextPiece()) {
      this.#transport.write(piece);
    }
    this.discard();
  }

  /**
   * Drops everything that is queued and accepts nothing more. Answers whether the socket got whole frames only, so
   * that a close frame may still follow.
   */
  discard(): boolean {
    const wholeFrames = this.#rest === null;
    this.#closed = true;
    this.#open = null;
    this.#full = null;
    this.#rest = null;
    this.#queuedBytes = 0;
    if (this.#stallTimer !== null) this.#context.wheel.cancel(this.#stallTimer);
    return wholeFrames;
  }

  #feed(): void {
    while (!this.#blocked && !this.#closed) {
      const piece = this.#nextPiece();
      if (piece === null) break;
      this.#handedBytes += piece.length;
      this.#context.stats.bytesOut += piece.length;
      if (!this.#transport.write(piece)) this.#blocked = true;
    }
    if (this.#closed) return;
    const buffered = this.#transport.bufferedBytes();
    if (buffered > 0) this.#watchForStall(buffered);
    else if (!this.#blocked) this.#replyBytes = 0;
  }

  #append(message: Batch): void {
    this.#queuedBytes += message.size;
    const open = this.#open;
    if (open === null) this.#open = message;
    else if (open.accepts(message.size)) this.#open = open.append(message);
    else {
      if (this.#full === null) this.#full = [open];
      else this.#full.push(open);
      this.#open = message;
    }
    if (!this.scheduled && !this.#blocked) this.#context.flusher.schedule(this);
  }

  #nextPiece(): Uint8Array | null {
    const frame = this.#rest ?? this.#nextFrame();
    if (frame === null) return null;
    if (frame.length <= PIECE_BYTES) {
      this.#rest = null;
      return frame;
    }
    this.#rest = frame.subarray(PIECE_BYTES);
    return frame.subarray(0, PIECE_BYTES);
  }

  #nextFrame(): Uint8Array | null {
    let batch = this.#open;
    if (this.#full === null) this.#open = null;
    else {
      batch = this.#full.shift() as Batch;
      if (this.#full.length === 0) this.#full = null;
    }
    if (batch === null) return null;
    this.#queuedBytes -= batch.size;
    return batch.frame();
  }

  #checkLimit(size: number): void {
    // A burst within one turn must not cut a healthy reader: offer it to the socket before judging.
    if (!this.#blocked) this.#feed();
    const waiting = this.waitingBytes;
    this.#replyBytes = Math.min(this.#replyBytes, waiting);
    const pushBytes = waiting - this.#replyBytes;
    // A push that waits alone may have any size: a client must be able to receive what it recovers.
    if (pushBytes > this.#context.limitBytes && pushBytes > size) this.#owner.outboxOverflowed();
  }

  #watchForStall(buffered: number): void {
    this.#stallTimer ??= new WheelTimer(() => this.#checkProgress());
    if (this.#stallTimer.scheduled) return;
    this.#takenBytes = this.#handedBytes - buffered;
    this.#context.wheel.schedule(this.#stallTimer, this.#context.stallMs);
  }

  #checkProgress(): void {
    const buffered = this.#transport.bufferedBytes();
    if (buffered === 0 || this.#closed) return;
    if (this.#handedBytes - buffered === this.#takenBytes) this.#owner.outboxStalled();
    else this.#watchForStall(buffered);
  }
}
