import { Arena } from '@msg/protocol/internal';
import type { NumberedRecord } from './record.ts';
import {
  HEAD_WORD,
  HEADER_BYTES,
  type RingMemory,
  RUNG_WORD,
  recordBytes,
  SKIP,
  TAIL_WORD,
} from './ring-memory.ts';

/** The two ends of a link disagree: nothing that it carries can be trusted any more. */
export class LinkBroken extends Error {
  override readonly name = 'LinkBroken';
}

/** The reading end of a ring. */
export class RingReader {
  readonly #memory: RingMemory;
  readonly #bodies = Arena.forRecords();
  #tail: number;
  #sequence = 0;

  constructor(memory: RingMemory) {
    this.#memory = memory;
    this.#tail = Atomics.load(memory.words, TAIL_WORD);
  }

  /** True while a record waits. */
  get hasNext(): boolean {
    return Atomics.load(this.#memory.words, HEAD_WORD) !== this.#tail;
  }

  /** True while a record waits for which the writer has rung. */
  get hasRung(): boolean {
    return this.hasNext && ((Atomics.load(this.#memory.words, RUNG_WORD) - this.#tail) | 0) > 0;
  }

  /** Number of the last record that was read. */
  get sequence(): number {
    return this.#sequence;
  }

  /**
   * Reads the next record into memory of its own, and frees its place.
   * @throws LinkBroken for a record that is not the next one
   */
  next(): NumberedRecord | null {
    const { view, bytes, capacity } = this.#memory;
    const head = Atomics.load(this.#memory.words, HEAD_WORD);
    const waiting = (head - this.#tail) >>> 0;
    if (waiting === 0) return null;
    let at = this.#tail & (capacity - 1);
    let skipped = 0;
    if (view.getUint32(at, true) === SKIP) {
      skipped = capacity - at;
      at = 0;
    }
    const length = view.getUint32(at, true);
    const size = recordBytes(length);
    if (waiting > capacity || at + size > capacity || skipped + size > waiting)
      throw new LinkBroken(`a record of ${length} bytes does not fit into what was written`);
    const sequence = view.getUint32(at + 8, true);
    const expected = (this.#sequence + 1) >>> 0;
    if (sequence !== expected) throw new LinkBroken(`record ${sequence} came in the place of ${expected}`);
    const record = {
      kind: view.getUint8(at + 4),
      flags: view.getUint8(at + 5),
      owner: view.getUint16(at + 6, true),
      sequence,
      request: view.getUint32(at + 12, true),
      body: this.#bodies.copy(bytes, at + HEADER_BYTES, at + HEADER_BYTES + length),
    };
    this.#sequence = sequence;
    this.#tail = (this.#tail + skipped + size) | 0;
    Atomics.store(this.#memory.words, TAIL_WORD, this.#tail);
    return record;
  }
}
