const SMALLEST = 1_024;

/** Bytes that arrived and were not read yet, in one piece. */
export class ByteQueue {
  bytes: Uint8Array;
  /** The waiting bytes are `bytes[start, end)`. */
  start: number;
  end: number;
  /** False while `bytes` is a caller's chunk, which must not change. */
  #owned: boolean;

  constructor() {
    this.bytes = new Uint8Array(0);
    this.start = 0;
    this.end = 0;
    this.#owned = false;
  }

  get size(): number {
    return this.end - this.start;
  }

  /** Appends a chunk. An empty queue uses it in place, so it must not change afterwards. */
  push(chunk: Uint8Array): void {
    if (this.size === 0) {
      this.bytes = chunk;
      this.start = 0;
      this.end = chunk.length;
      this.#owned = false;
      return;
    }
    this.#makeRoom(chunk.length);
    this.bytes.set(chunk, this.end);
    this.end += chunk.length;
  }

  #makeRoom(size: number): void {
    if (this.#owned && this.end + size <= this.bytes.length) return;
    const waiting = this.size;
    const isRoomy = this.#owned && (waiting + size) * 2 <= this.bytes.length;
    const to = isRoomy ? this.bytes : new Uint8Array(Math.max((waiting + size) * 2, SMALLEST));
    to.set(this.bytes.subarray(this.start, this.end));
    this.bytes = to;
    this.start = 0;
    this.end = waiting;
    this.#owned = true;
  }
}
