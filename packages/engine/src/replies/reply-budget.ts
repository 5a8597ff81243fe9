import type { Total } from '../bounds.ts';

/** Memory of the long replies in progress: bytes that connections share, and bytes of single connections. */
export class ReplyBudget {
  readonly #held: Total;
  readonly #limitBytes: number;

  /**
   * @param held to which `EncodedStreams` adds the shared bytes
   * @param limitBytes once so many are held, {@link hasRoom} is false
   */
  constructor(held: Total, limitBytes: number) {
    this.#held = held;
    this.#limitBytes = limitBytes;
  }

  /** False while long replies hold all memory they may have: no further one may be made. */
  get hasRoom(): boolean {
    return this.#held.all < this.#limitBytes;
  }

  /** Counts a long reply of one connection that waits for its socket. */
  hold(bytes: number): void {
    this.#held.take(bytes, Number.POSITIVE_INFINITY);
  }

  /** Frees the bytes of a reply that was written or dropped. */
  release(bytes: number): void {
    this.#held.give(bytes);
  }
}
