import type { Framing } from '../transports/contract.ts';

/** Messages joined into one frame at most, so that a frame stays small (client protocol 4.1, 20). */
const MESSAGES_PER_FRAME = 16;
/** A batch of this size takes no more messages; a larger message is a batch by itself. */
const BATCH_BYTES = 65_536;

/**
 * An immutable sequence of encoded messages on its way to a socket. A batch caches "this sequence, then message m", so
 * all connections that queue the same messages in the same order use the same objects and share one buffer: ten
 * publications in one turn cost each subscriber ten pointer moves and one write.
 */
export class Batch {
  readonly framing: Framing;
  /** The newest message of the sequence, encoded. */
  readonly message: Uint8Array;
  /** The sequence before it. */
  readonly previous: Batch | null;
  readonly count: number;
  /** Sum of the messages' bytes, without framing. */
  readonly size: number;
  #next: Batch | null = null;
  #frame: Uint8Array | null = null;

  constructor(framing: Framing, message: Uint8Array, previous: Batch | null = null) {
    this.framing = framing;
    this.message = message;
    this.previous = previous;
    this.count = previous === null ? 1 : previous.count + 1;
    this.size = previous === null ? message.length : previous.size + message.length;
  }

  /** True when one more message of `bytes` still fits into this frame. */
  accepts(bytes: number): boolean {
    return this.count < MESSAGES_PER_FRAME && this.size + bytes <= BATCH_BYTES;
  }

  /** This sequence followed by the message of `single`, a batch of one. */
  append(single: Batch): Batch {
    const next = this.#next;
    if (next !== null && next.message === single.message) return next;
    const created = new Batch(this.framing, single.message, this);
    this.#next = created;
    return created;
  }

  /** The bytes for the socket, built on first use and shared. */
  frame(): Uint8Array {
    this.#frame ??= this.framing.frame(this.messages());
    return this.#frame;
  }

  /** The messages of the sequence, the oldest first. */
  messages(): readonly Uint8Array[] {
    const messages = new Array<Uint8Array>(this.count);
    let batch: Batch | null = this;
    for (let i = this.count - 1; batch !== null; i--, batch = batch.previous) messages[i] = batch.message;
    return messages;
  }
}
