import { nativeCopy } from './platform.ts';

/**
 * Arrays up to this size are in the JavaScript heap of V8: cheap to make and to keep, expensive to pass to native code,
 * which moves them out first.
 */
const ON_HEAP_BYTES = 64;

/**
 * Cuts small byte arrays from shared slabs. A typed array above 64 bytes of its own costs an allocation outside the
 * JavaScript heap (measured: 0.4–1 µs on Node.js), a cut costs a tenth of that.
 *
 * One live cut keeps its whole slab alive, so slabs are small for retained bytes (payloads in a history) and larger for
 * short-lived ones (frames). Cuts above a quarter of the slab get their own memory.
 */
export class Arena {
  private readonly slabBytes: number;
  private readonly smallest: number;
  private readonly largest: number;
  private slab: ArrayBuffer;
  private used: number;

  private constructor(slabBytes: number, smallest: number) {
    this.slabBytes = slabBytes;
    this.smallest = smallest;
    this.largest = slabBytes >>> 2;
    this.slab = new ArrayBuffer(0);
    this.used = slabBytes;
  }

  /** An arena for bytes that may be retained. */
  static forPayloads(): Arena {
    return new Arena(8_192, ON_HEAP_BYTES);
  }

  /** An arena for short-lived bytes, which go to sockets. */
  static forFrames(): Arena {
    return new Arena(16_384, 0);
  }

  /** An arena for bytes that may be retained and that native code reads in any case, however short they are. */
  static forRecords(): Arena {
    return new Arena(2_048, 0);
  }

  /** A fresh array of `size` bytes, to be written completely by the caller. */
  take(size: number): Uint8Array {
    if (size <= this.smallest || size > this.largest) return new Uint8Array(size);
    if (this.used + size > this.slabBytes) {
      this.slab = new ArrayBuffer(this.slabBytes);
      this.used = 0;
    }
    const start = this.used;
    this.used = start + size;
    return new Uint8Array(this.slab, start, size);
  }

  /** A copy of `bytes[start, end)`. */
  copy(bytes: Uint8Array, start: number, end: number): Uint8Array {
    const out = this.take(end - start);
    copyBytes(bytes, start, end, out, 0);
    return out;
  }
}

/** Where the bytes of decoded payloads are. */
export type PayloadMemory = Pick<Arena, 'copy'>;

/** They stay where they came: for messages in memory that is kept as long as its payloads. */
export const IN_PLACE: PayloadMemory = {
  copy: ({ buffer, byteOffset }, start, end) => new Uint8Array(buffer, byteOffset + start, end - start),
};

/** At least the size of arrays on the heap, so that those never reach native code here. */
const LOOP_BYTES = 64;

/** Copies `from[start, end)` to `to[at…]`: by loop while that is cheaper than a call. */
export function copyBytes(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): void {
  const size = end - start;
  if (size <= LOOP_BYTES) {
    for (let i = 0; i < size; i++) to[at + i] = from[start + i]!;
  } else if (nativeCopy !== undefined) nativeCopy.call(from, to, at, start, end);
  else portableCopy(from, start, end, to, at);
}

/** {@link copyBytes} without a Buffer. */
export function portableCopy(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): void {
  to.set(new Uint8Array(from.buffer, from.byteOffset + start, end - start), at);
}
