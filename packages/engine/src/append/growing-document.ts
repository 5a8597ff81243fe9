import { ResidueSums, weightOf } from '@msg/protocol/internal';
import { DocumentState } from './document-state.ts';
import type { Tail } from './growth.ts';

const SMALLEST_MEMORY = 256;

/** What the end of a document looks like, by what is open there (append streams 3). */
export const SUFFIX: Readonly<Record<Tail, Uint8Array>> = {
  text: Buffer.from('"}'),
  open: Buffer.from('"}]}'),
  closed: Buffer.from(']}'),
};

/** The bytes of a document, whose body only grows, with the sums that its checksum is made of. */
export class GrowingDocument {
  #head: Uint8Array;
  #headWeight: number;
  #memory: Uint8Array = new Uint8Array(SMALLEST_MEMORY);
  #length = 0;
  #tail: Tail;
  readonly #sums = new ResidueSums();

  constructor(head: Uint8Array, tail: Tail) {
    this.#head = head;
    this.#headWeight = weightOf(head, 0);
    this.#tail = tail;
  }

  get head(): Uint8Array {
    return this.#head;
  }

  /** What is open at the end of the body. */
  get tail(): Tail {
    return this.#tail;
  }

  /** Bytes of the body. */
  get bodyLength(): number {
    return this.#length;
  }

  /** Bytes that it keeps in memory. */
  get memoryBytes(): number {
    return this.#memory.length;
  }

  /** Adds bytes to the body; null: the head stays. Returns the new state. */
  grow(added: Uint8Array, tail: Tail, head: Uint8Array | null): DocumentState {
    if (head !== null) {
      this.#head = head;
      this.#headWeight = weightOf(head, 0);
    }
    if (added.length > 0) {
      this.#reserve(added.length);
      this.#memory.set(added, this.#length);
      this.#sums.add(added, 0, added.length);
      this.#length += added.length;
    }
    this.#tail = tail;
    return this.#state();
  }

  #state(): DocumentState {
    const suffix = SUFFIX[this.#tail];
    const start = this.#head.length;
    const weight = this.#headWeight + this.#sums.weightAt(start) + weightOf(suffix, start + this.#length);
    return new DocumentState({
      head: this.#head,
      memory: this.#memory,
      bodyLength: this.#length,
      suffix,
      checksum: weight >>> 0,
    });
  }

  /** Earlier states keep the memory that they began with: bytes of the body never change. */
  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#memory.length) return;
    const memory = Buffer.allocUnsafeSlow(Math.max(needed, this.#memory.length * 2));
    memory.set(this.#memory.subarray(0, this.#length));
    this.#memory = memory;
  }
}
