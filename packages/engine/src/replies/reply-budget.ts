import type { EncodedStreams } from './encoded-streams.ts';

/** Memory of the long replies of one node on their way: what connections share, and what each has alone. */
export class ReplyBudget {
  readonly #streams: EncodedStreams;
  readonly #limitBytes: number;
  #ownBytes = 0;

  /** @param limitBytes once so many are held, {@link hasRoom} is false */
  constructor(streams: EncodedStreams, limitBytes: number) {
    this.#streams = streams;
    this.#limitBytes = limitBytes;
  }

  /** False: replies take all memory they may have, and no long one should be made. */
  get hasRoom(): boolean {
    return this.#ownBytes + this.#streams.bytes < this.#limitBytes;
  }

  /** A long reply of one connection waits for its socket. */
  hold(bytes: number): void {
    this.#ownBytes += bytes;
  }

  /** It was taken, or dropped. */
  release(bytes: number): void {
    this.#ownBytes -= bytes;
  }
}
