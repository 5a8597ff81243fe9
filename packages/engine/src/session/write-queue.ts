import { Batch } from '../delivery/batch.ts';
import type { SharedReply } from '../replies/shared-reply.ts';
import type { Transport } from '../transports/contract.ts';
import type { Flushable } from './flusher.ts';
import { MessageQueue, PIECE_BYTES } from './message-queue.ts';
import type { ReplyWriter } from './reply-turns.ts';
import { StallWatch } from './stall-watch.ts';
import type { WriteQueueEvents, WriteQueueOptions } from './write-queue-contract.ts';

/** Bytes of a long reply that are written together in one turn. */
const REPLY_PIECE_BYTES = PIECE_BYTES / 2;

/** Share of the limit that replies may fill while the socket takes no bytes; above it no further command runs. */
const UNREAD_REPLIES_SHARE = 1 / 32;

/**
 * The write queue of one connection. Messages are appended as shared batches; the messages of one turn leave in one
 * write. A socket that reports back-pressure gets no more bytes, so the queue's limit bounds memory: pushes count towards
 * it, replies to the client's own commands do not (client protocol 6.6). A long reply is built while the socket takes it.
 */
export class WriteQueue extends MessageQueue implements Flushable, ReplyWriter {
  readonly #context: WriteQueueOptions;
  readonly #transport: Transport;
  readonly #owner: WriteQueueEvents;
  /** Reply bytes among the queued bytes; an upper bound, corrected before it decides. */
  #replyBytes = 0;
  /** The part of it that the budget of the node holds. */
  #heldBytes = 0;
  /** The socket is full: wait for `drained`. */
  #blocked = false;
  /** The next long reply waits for its turn. */
  #waitsForTurn = false;
  #congested = false;
  /** Takes no more messages. */
  #closed = false;
  /** Called once after {@link finish}, with whether all queued bytes were written. */
  #finished: ((complete: boolean) => void) | null = null;
  /** Bytes handed to the transport so far. */
  #handedBytes = 0;
  /** Made when the socket first holds bytes. */
  #stalls: StallWatch | null = null;
  scheduled = false;

  constructor(context: WriteQueueOptions, transport: Transport, owner: WriteQueueEvents) {
    super();
    this.#context = context;
    this.#transport = transport;
    this.#owner = owner;
  }

  /** Bytes not yet taken by the operating system. */
  get waitingBytes(): number {
    return this.pendingBytes + this.#transport.bufferedBytes();
  }

  /** Whether more than this many bytes wait for the peer after a flush. */
  lags(bytes: number): boolean {
    if (this.waitingBytes <= bytes) return false;
    if (!this.#blocked) this.#feed();
    return this.waitingBytes > bytes;
  }

  /**
   * True while more than the limit is queued, replies included, or replies wait for a socket that takes no bytes: no
   * further command may run.
   */
  get congested(): boolean {
    if (!this.#congested) this.#congested = this.#isCongested();
    return this.#congested;
  }

  #isCongested(): boolean {
    const { limitBytes } = this.#context;
    const unreadBytes = limitBytes * UNREAD_REPLIES_SHARE;
    // Many commands may come in one turn: offer their replies to the socket before deciding.
    if (!this.#blocked && this.bytesToLastReply > unreadBytes) this.#feed();
    if (this.#blocked && this.#replyBytes > unreadBytes) return true;
    return this.waitingBytes > limitBytes;
  }

  /** Queues a push, given as a batch of one message in this transport's framing. */
  push(message: Batch): void {
    if (this.#closed) return;
    this.#enqueue(message);
    if (this.#blocked || this.queuedBytes > this.#context.limitBytes) this.#checkLimit(message);
  }

  /** Queues a reply to a command of this connection. */
  reply(message: Batch | SharedReply): void {
    if (this.#closed) {
      if (!(message instanceof Batch)) message.release();
      return;
    }
    this.#replyBytes += message.size;
    if (message.size > this.#context.ownReplyBytes && message instanceof Batch) this.#hold(message.size);
    this.#enqueue(message);
    this.bytesToLastReply = this.queuedBytes;
  }

  /** Writes what the socket takes, and calls `onDrain` when the queue is below the limit again. */
  flush(): void {
    this.#feed();
    if (!this.#congested || this.#closed || this.#isCongested()) return;
    this.#congested = false;
    this.#owner.onDrain();
  }

  /** The transport's buffer is empty again. */
  drained(): void {
    this.#blocked = false;
    if (this.bytesToLastReply <= 0 && !this.inFrame) this.#repliesTaken();
    this.flush();
  }

  /**
   * Accepts no more messages and writes everything that is queued to the transport despite back-pressure; only a long
   * reply, and what follows it, still waits for the socket. Calls `finished` once, at once or later: with true after the
   * last byte, with false when the rest was dropped.
   */
  finish(finished: (complete: boolean) => void): void {
    this.#closed = true;
    this.#finished = finished;
    while (!this.isReplyNext) {
      const piece = this.nextPiece();
      if (piece === null) {
        this.#end(true);
        return;
      }
      this.#hand(piece);
    }
    this.#feed();
  }

  /**
   * Drops everything that is queued and accepts no more messages. Returns whether the socket got whole frames only, so
   * that a close frame may follow.
   */
  discard(): boolean {
    const wholeFrames = !this.inFrame;
    this.#closed = true;
    this.clear();
    this.#end(false);
    return wholeFrames;
  }

  #end(complete: boolean): void {
    this.#release();
    this.#stalls?.cancel();
    const finished = this.#finished;
    this.#finished = null;
    finished?.(complete);
  }

  #feed(): void {
    let isEmpty = false;
    while (!this.#blocked && !isEmpty) {
      const isReply = this.isReplyNext;
      if (isReply && !this.#isItsTurn()) break;
      const piece = this.nextPiece();
      if (piece !== null) this.#hand(piece);
      if (isReply) this.#context.replyTurns.spent(piece?.length ?? 0);
      isEmpty = piece === null;
    }
    if (this.#closed && this.#finished === null) return;
    if (this.#closed && isEmpty) this.#end(true);
    else this.#watch();
  }

  #isItsTurn(): boolean {
    if (!this.#waitsForTurn) this.#waitsForTurn = !this.#context.replyTurns.admits(this);
    return !this.#waitsForTurn;
  }

  /** Writes a piece of the long reply in its turn. */
  writePiece(): void {
    this.#waitsForTurn = false;
    let bytes = 0;
    while (!this.#blocked && this.isReplyNext && bytes < REPLY_PIECE_BYTES) {
      const piece = this.nextPiece();
      if (piece === null) break;
      this.#hand(piece);
      bytes += piece.length;
    }
    this.#context.replyTurns.spent(bytes);
    this.flush();
  }

  #hand(piece: Uint8Array): void {
    this.#handedBytes += piece.length;
    this.#context.stats.bytesOut += piece.length;
    if (!this.#transport.write(piece, this.inFrame)) this.#blocked = true;
  }

  #watch(): void {
    const buffered = this.#transport.bufferedBytes();
    if (buffered > 0) this.#watchForStall(this.#handedBytes - buffered);
    else if (this.#replyBytes > 0 && !this.#blocked && !this.#waitsForTurn) this.#repliesTaken();
  }

  /** All queued replies were written. */
  #repliesTaken(): void {
    this.#replyBytes = 0;
    this.#release();
  }

  #hold(bytes: number): void {
    this.#heldBytes += bytes;
    this.#context.replyBudget.hold(bytes);
  }

  #release(): void {
    if (this.#heldBytes === 0) return;
    this.#context.replyBudget.release(this.#heldBytes);
    this.#heldBytes = 0;
  }

  #enqueue(message: Batch | SharedReply): void {
    this.append(message);
    if (!this.scheduled && !this.#blocked) this.#context.flusher.schedule(this);
  }

  #checkLimit(message: Batch): void {
    // A burst within one turn must not disconnect a healthy reader: the socket gets the bytes first.
    if (!this.#blocked) this.#feed();
    const waiting = this.waitingBytes;
    this.#replyBytes = Math.min(this.#replyBytes, waiting);
    const pushBytes = waiting - this.#replyBytes;
    // A single queued push may have any size, so that a client can receive what it recovers. The bytes in the transport
    // include the frame.
    if (pushBytes > this.#context.limitBytes && pushBytes > message.frame().length) {
      this.#owner.onOverflow();
    }
  }

  #watchForStall(takenBytes: number): void {
    this.#stalls ??= new StallWatch(this.#context, () => this.#checkProgress());
    this.#stalls.watch(takenBytes);
  }

  #checkProgress(): void {
    const buffered = this.#transport.bufferedBytes();
    if (buffered === 0 && this.waitingBytes === 0) this.#repliesTaken();
    if (buffered === 0 || (this.#closed && this.#finished === null)) return;
    const takenBytes = this.#handedBytes - buffered;
    if (this.#stalls?.isStalled(takenBytes)) this.#owner.onStall();
    else this.#watchForStall(takenBytes);
  }
}
