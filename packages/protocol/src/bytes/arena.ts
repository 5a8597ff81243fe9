/**
 * Cuts small byte arrays from shared slabs. A typed array above 64 bytes of its own costs an allocation outside
 * the JavaScript heap (measured: 0.4–1 µs on Node.js), a cut costs a tenth of that.
 *
 * One live cut keeps its whole slab alive, so the slab size is the price of retention: small for what is kept
 * (payloads in a history), larger for what is gone after a tick (frames). Cuts above a quarter of the slab get
 * memory of their own.
 */
export class Arena {
  readonly #slabBytes: number;
  readonly #largest: number;
  #slab: Uint8Array;
  #used: number;

  constructor(slabBytes: number) {
    this.#slabBytes = slabBytes;
    this.#largest = slabBytes >>> 2;
    this.#slab = new Uint8Array(0);
    this.#used = slabBytes;
  }

  /** A fresh array of `size` bytes, to be written completely by the caller. */
  take(size: number): Uint8Array {
    if (size > this.#largest) return new Uint8Array(size);
    if (this.#used + size > this.#slabBytes) {
      this.#slab = new Uint8Array(this.#slabBytes);
      this.#used = 0;
    }
    const start = this.#used;
    this.#used = start + size;
    return this.#slab.subarray(start, start + size);
  }

  /** A copy of `bytes[start, end)`. */
  copy(bytes: Uint8Array, start: number, end: number): Uint8Array {
    const out = this.take(end - start);
    copyBytes(bytes, start, end, out, 0);
    return out;
  }
}

const LOOP_BYTES = 48;

/** Copies `from[start, end)` to `to[at…]`: by loop while that is cheaper than making a view. */
export function copyBytes(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): void {
  const size = end - start;
  if (size <= LOOP_BYTES) {
    for (let i = 0; i < size; i++) to[at + i] = from[start + i]!;
  } else {
    to.set(size === from.length ? from : from.subarray(start, end), at);
  }
}
