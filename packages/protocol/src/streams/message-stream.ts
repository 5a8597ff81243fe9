import type { Encoding } from '../codec.ts';
import { DecodeError } from '../decode-error.ts';
import type { DecodeLimits } from '../limits.ts';
import { ByteQueue } from './byte-queue.ts';

const LF = 0x0a;
/** A length below 2^28 takes at most four bytes; no limit is that large. */
const LENGTH_BYTES = 4;
const LENGTH_LIMIT = 2 ** 28 - 1;

/**
 * Cuts a byte stream into messages: JSON ends each with a newline, Protobuf starts each with its length. It holds at most
 * one incomplete message and the last chunk, and cannot be used after an error.
 */
export abstract class MessageStream<T> {
  readonly #encoding: Encoding;
  readonly #largest: number;
  readonly #queue: ByteQueue;
  /** Bytes after the queue's start that were searched and contain no newline. */
  #searched: number;
  #failure: DecodeError | null;

  constructor(encoding: Encoding, limits: DecodeLimits) {
    this.#encoding = encoding;
    this.#largest = Math.min(limits.messageBytes, LENGTH_LIMIT);
    this.#queue = new ByteQueue();
    this.#searched = 0;
    this.#failure = null;
  }

  /** Decodes the message `bytes[start, end)`, without newline or length. Its length, if it has one, begins at `head`. */
  protected abstract decode(bytes: Uint8Array, start: number, end: number, head: number): T;

  /** Appends a chunk of any length, which must not change afterwards. */
  push(chunk: Uint8Array): void {
    if (this.#failure === null) this.#queue.push(chunk);
  }

  /** Bytes that arrived and are not decoded yet. */
  get waiting(): number {
    return this.#queue.size;
  }

  /**
   * Decodes the next complete message; null until more bytes arrive. Read all messages after each `push`.
   *
   * @throws DecodeError; from then on at every call.
   */
  next(): T | null {
    if (this.#failure !== null) throw this.#failure;
    try {
      return this.#encoding === 'json' ? this.#nextLine() : this.#nextDelimited();
    } catch (error) {
      if (error instanceof DecodeError) this.#failure = error;
      throw error;
    }
  }

  /**
   * Call this after the end of the peer's stream, when all messages were read.
   *
   * @throws DecodeError with code `truncated` when the last message is incomplete.
   */
  end(): void {
    if (this.#failure !== null) throw this.#failure;
    if (this.#queue.size > 0) throw new DecodeError('truncated', 'stream ends inside a message');
  }

  #nextLine(): T | null {
    const queue = this.#queue;
    const { bytes, start, end } = queue;
    const at = indexOfLf(bytes, start + this.#searched, end);
    if (at === -1) {
      this.#searched = end - start;
      if (this.#searched > this.#largest) throw this.#tooLarge();
      return null;
    }
    if (at - start > this.#largest) throw this.#tooLarge();
    if (at === start) throw new DecodeError('malformed', 'blank line');
    queue.start = at + 1;
    this.#searched = 0;
    return this.decode(bytes, start, at, start);
  }

  #nextDelimited(): T | null {
    const queue = this.#queue;
    const { bytes, start, end } = queue;
    let size = 0;
    let at = start;
    for (;;) {
      if (at === end) return null;
      const byte = bytes[at]!;
      size += (byte & 0x7f) * 2 ** (7 * (at - start));
      at++;
      if (size > this.#largest) throw this.#tooLarge();
      if (byte < 0x80) break;
      if (at - start === LENGTH_BYTES) throw this.#tooLarge();
    }
    if (size > end - at) return null;
    queue.start = at + size;
    return this.decode(bytes, at, at + size, start);
  }

  #tooLarge(): DecodeError {
    return new DecodeError('too_large', `message above ${this.#largest} bytes`);
  }
}

function indexOfLf(bytes: Uint8Array, start: number, end: number): number {
  const at = bytes.indexOf(LF, start);
  return at < end ? at : -1;
}
