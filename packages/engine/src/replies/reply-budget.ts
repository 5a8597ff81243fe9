import type { EncodedStreams } from './encoded-streams.ts';

/** Memory of the long replies in progress on one node: shared bytes, and bytes of single connections. */
export class ReplyBudget {
  readonly #streams: EncodedStreams;
  readonly #limitBytes: number;
  #ownBytes = 0;

  /** @param limitBytes once so many are held, {@link hasRoom} is false */
  constructor(streams: EncodedStreams, limitBytes: number) {
    this.#streams = streams;
    this.#limitBytes = limitBytes;
  }

  /** False while long replies hold all memory they may have: no further one may be made. */
  get hasRoom(): boolean {
    return this.#ownBytes + this.#streams.bytes < this.#limitBytes;
  }

  /** Counts a long reply of one connection that waits for its socket. */
  hold(bytes: number): void {
    this.#ownBytes += bytes;
  }

  /** Frees the bytes of a reply that was written or dropped. */
  release(bytes: number): void {
    this.#ownBytes -= bytes;
  }
}
