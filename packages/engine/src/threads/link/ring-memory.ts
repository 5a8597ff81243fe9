/** Bytes before the body of a record: length, kind, flags, owner, sequence, request (threads 3.1). */
export const HEADER_BYTES = 16;
/** Stands for a length where the rest of the ring up to its end is not used. */
export const SKIP = 0xffff_ffff;

/** Smallest and largest ring. */
const MIN_BYTES = 4096;
const MAX_BYTES = 2 ** 30;

/** Words of the control block, each on a cache line of its own. */
export const HEAD_WORD = 0;
export const TAIL_WORD = 16;
/** 1 while the reader sleeps. */
export const ASLEEP_WORD = 32;
/** 1 while the writer waits for room. */
export const WAITING_WORD = 48;
/** Bytes of parcels that the reader has taken, unsigned, with wrapping. */
export const TAKEN_WORD = 64;
/** Head of the ring when the writer last rang; written after the bell. */
export const RUNG_WORD = 80;
/** 1 while the writer has taken or refused something that is not, and is not told, in the ring; the writer's, as the one before. */
export const BEHIND_WORD = 81;
/** Bytes before the records. */
export const CONTROL_BYTES = 384;

/** The memory of a new ring. @throws RangeError unless the size is a power of two from 4 KiB to 1 GiB */
export function ringBuffer(bytes: number): SharedArrayBuffer {
  const isPower = Number.isInteger(Math.log2(bytes));
  if (!isPower || bytes < MIN_BYTES || bytes > MAX_BYTES)
    throw new RangeError(
      `a ring must have a power of two from ${MIN_BYTES} to ${MAX_BYTES} bytes; got ${bytes}`,
    );
  return new SharedArrayBuffer(CONTROL_BYTES + bytes);
}

/** Views of a ring: one writer and one reader share it (threads 3.1). */
export class RingMemory {
  readonly words: Int32Array<SharedArrayBuffer>;
  readonly bytes: Uint8Array<SharedArrayBuffer>;
  readonly view: DataView<SharedArrayBuffer>;
  /** Bytes for records: a power of two. */
  readonly capacity: number;

  constructor(buffer: SharedArrayBuffer) {
    this.words = new Int32Array(buffer, 0, CONTROL_BYTES / Int32Array.BYTES_PER_ELEMENT);
    this.bytes = new Uint8Array(buffer, CONTROL_BYTES);
    this.view = new DataView(buffer, CONTROL_BYTES);
    this.capacity = this.bytes.length;
  }

  /** Longest body of a record: two of them fit, so that one always fits into an empty ring, wherever it begins. */
  get longestBody(): number {
    return this.capacity / 2 - HEADER_BYTES;
  }

  /** Bytes between tail and head. */
  get used(): number {
    return (Atomics.load(this.words, HEAD_WORD) - Atomics.load(this.words, TAIL_WORD)) >>> 0;
  }
}

/** Bytes that a record takes in the ring: records are aligned to 8. */
export function recordBytes(bodyLength: number): number {
  return (HEADER_BYTES + bodyLength + 7) & ~7;
}
