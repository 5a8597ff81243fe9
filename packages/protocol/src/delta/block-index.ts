/** Bytes of an indexed block, and of the window of a lookup. */
export const BLOCK = 16;

/** A rolling hash over a window of {@link BLOCK} bytes: plain sum below, weighted sum above 16 bits. */
export class RollingHash {
  #sum: number;
  #weighted: number;

  constructor() {
    this.#sum = 0;
    this.#weighted = 0;
  }

  /** Starts with the window at `bytes[at]`. */
  start(bytes: Uint8Array, at: number): void {
    let sum = 0;
    let weighted = 0;
    for (let i = 0; i < BLOCK; i++) {
      sum += bytes[at + i]!;
      weighted += (BLOCK - i) * bytes[at + i]!;
    }
    this.#sum = sum;
    this.#weighted = weighted;
  }

  /** Moves the window by one byte. */
  roll(leaving: number, entering: number): void {
    this.#sum += entering - leaving;
    this.#weighted += this.#sum - BLOCK * leaving;
  }

  get value(): number {
    return ((this.#sum & 0xffff) | (this.#weighted << 16)) >>> 0;
  }
}

/** Positions of a base's blocks, by hash. */
export class BlockIndex {
  readonly #newest: Int32Array;
  readonly #older: Int32Array;

  constructor(base: Uint8Array) {
    const blocks = Math.floor(base.length / BLOCK);
    const newest = new Int32Array(blocks).fill(-1);
    const older = new Int32Array(blocks);
    const hash = new RollingHash();
    for (let block = 0; block < blocks; block++) {
      hash.start(base, block * BLOCK);
      const bucket = hash.value % blocks;
      older[block] = newest[bucket]!;
      newest[bucket] = block;
    }
    this.#newest = newest;
    this.#older = older;
  }

  /** The newest block whose hash falls into the bucket of `hash`, or −1. */
  first(hash: number): number {
    return this.#newest[hash % this.#newest.length]!;
  }

  /** The next older block of the same bucket, or −1. */
  after(block: number): number {
    return this.#older[block]!;
  }
}
