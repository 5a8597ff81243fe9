import { RunCursor, type RunSelection } from './run-cursor.ts';
import type { Segment } from './segment.ts';
import type { TakenSegment } from './segment-sequence.ts';
import { storedBlocks } from './stored-blocks.ts';

/** Shorter stretches are copied together; longer ones are written from the shared memory. */
const SHARED_STRETCH_BYTES = 4096;
/** Size of the pieces into which short stretches are copied, per connection. */
const COPIED_PIECE_BYTES = 16_384;

/**
 * The elements of one list of publications on its way to one connection. It walks over segments that all connections with
 * the same publications share, and holds no bytes itself.
 */
export class EncodedRun {
  /** Bytes of the elements. */
  readonly size: number;
  readonly #segments: (TakenSegment | null)[];
  readonly #selection: RunSelection;
  readonly #separator: Uint8Array;

  /** @param segments ascending, with at least the offsets of the selection; the run releases them */
  constructor(segments: readonly TakenSegment[], selection: RunSelection, separator: Uint8Array) {
    this.#segments = [...segments];
    this.#selection = selection;
    this.#separator = separator;
    let size = -separator.length;
    const cursor = new RunCursor(this.#segments, selection);
    while (cursor.advance()) size += (cursor.segment as Segment).bytesOf(cursor.from, cursor.to);
    this.size = size;
  }

  /** The bytes, in pieces of any size. Each segment is released after its last piece. */
  *pieces(): Generator<Uint8Array> {
    let left = this.size;
    let copied: Buffer | null = null;
    let used = 0;
    let at = -1;
    const cursor = new RunCursor(this.#segments, this.#selection);
    while (cursor.advance()) {
      if (cursor.index !== at) this.#release(at);
      at = cursor.index;
      const segment = cursor.segment as Segment;
      // The last element has no separator.
      const length = Math.min(segment.bytesOf(cursor.from, cursor.to), left);
      left -= length;
      if (copied !== null && (length >= SHARED_STRETCH_BYTES || used + length > copied.length)) {
        yield copied.subarray(0, used);
        copied = null;
      }
      const start = segment.startOf(cursor.from);
      if (length >= SHARED_STRETCH_BYTES) {
        yield segment.bytes.subarray(start, start + length);
        continue;
      }
      if (copied === null) {
        copied = Buffer.allocUnsafeSlow(Math.min(COPIED_PIECE_BYTES, length + left));
        used = 0;
      }
      segment.bytes.copy(copied, used, start, start + length);
      used += length;
    }
    if (copied !== null) yield copied.subarray(0, used);
  }

  /** True when the run can use the compressed form of its segments. */
  get deflatable(): boolean {
    return !this.#selection.reversed && this.#selection.picked === null;
  }

  /** As {@link pieces}, as DEFLATE blocks. Without `releasing` the segments are kept. */
  *deflated(releasing: boolean): Generator<Uint8Array> {
    const { last } = this.#selection;
    const separator = this.#separator;
    const cursor = new RunCursor(this.#segments, this.#selection);
    while (cursor.advance()) {
      const { from, to, index } = cursor;
      const segment = cursor.segment as Segment;
      if (from === segment.first && to === segment.last) {
        yield segment.deflated;
        if (to < last) yield* storedBlocks(separator);
      } else {
        const length = segment.bytesOf(from, to) - (to < last ? 0 : separator.length);
        const start = segment.startOf(from);
        yield* storedBlocks(segment.bytes.subarray(start, start + length));
      }
      if (releasing) this.#release(index);
    }
  }

  /** Releases every segment that is still held. Safe to call again. */
  release(): void {
    for (let i = 0; i < this.#segments.length; i++) this.#release(i);
  }

  #release(index: number): void {
    const taken = this.#segments[index];
    if (taken === null || taken === undefined) return;
    this.#segments[index] = null;
    taken.sequence.release(taken.segment);
  }
}
