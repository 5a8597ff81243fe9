import type { NumberedRecord } from './record.ts';
import { HEAD_WORD, HEADER_BYTES, type RingMemory, recordBytes, SKIP, TAIL_WORD } from './ring-memory.ts';

/** The writing end of a ring. */
export class RingWriter {
  readonly #memory: RingMemory;
  #head: number;

  constructor(memory: RingMemory) {
    this.#memory = memory;
    this.#head = Atomics.load(memory.words, HEAD_WORD);
  }

  /** Writes a record with these flags and this body; false: there is no room, and nothing was written. */
  write({ kind, owner, sequence, request }: NumberedRecord, flags: number, body: Uint8Array): boolean {
    if (!this.hasRoom(body.length)) return false;
    const { view, bytes, words, capacity } = this.#memory;
    const size = recordBytes(body.length);
    const skipped = this.#skipped(size);
    if (skipped > 0) view.setUint32(this.#head & (capacity - 1), SKIP, true);
    const at = (this.#head + skipped) & (capacity - 1);
    view.setUint32(at, body.length, true);
    view.setUint8(at + 4, kind);
    view.setUint8(at + 5, flags);
    view.setUint16(at + 6, owner, true);
    view.setUint32(at + 8, sequence, true);
    view.setUint32(at + 12, request, true);
    bytes.set(body, at + HEADER_BYTES);
    this.#head = (this.#head + skipped + size) | 0;
    Atomics.store(words, HEAD_WORD, this.#head);
    return true;
  }

  /** True when a record with such a body can be written now. */
  hasRoom(bodyLength: number): boolean {
    const { words, capacity } = this.#memory;
    const size = recordBytes(bodyLength);
    const free = capacity - ((this.#head - Atomics.load(words, TAIL_WORD)) >>> 0);
    return size + this.#skipped(size) <= free;
  }

  /** Bytes that are left out at the end of the ring, because a record of this size is never split. */
  #skipped(size: number): number {
    const { capacity } = this.#memory;
    const rest = capacity - (this.#head & (capacity - 1));
    return size > rest ? rest : 0;
  }
}
