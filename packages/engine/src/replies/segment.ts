import { constants, deflateRawSync } from 'node:zlib';
import { storedBlocks } from './stored-blocks.ts';

/**
 * Publications with consecutive offsets, encoded one after the other as elements of a list. Immutable; owned by the
 * {@link SegmentSequence} that counts its users.
 */
export class Segment {
  /** Offset of the first publication. */
  readonly first: number;
  /** The elements, each with its separator. */
  readonly bytes: Buffer;
  /** Runs that still read this segment. */
  users = 0;
  /** Where each element ends in `bytes`. */
  readonly #ends: Uint32Array;
  readonly #separatorBytes: number;
  #deflated: Uint8Array | null = null;

  constructor(first: number, elements: readonly Uint8Array[], separatorBytes: number) {
    this.first = first;
    this.#separatorBytes = separatorBytes;
    this.#ends = new Uint32Array(elements.length);
    let size = 0;
    for (let i = 0; i < elements.length; i++) {
      size += (elements[i] as Uint8Array).length;
      this.#ends[i] = size;
    }
    this.bytes = joined(elements, size);
  }

  /** Offset of the last publication. */
  get last(): number {
    return this.first + this.#ends.length - 1;
  }

  /** Where the element of an offset begins in `bytes`. */
  startOf(offset: number): number {
    return offset === this.first ? 0 : (this.#ends[offset - this.first - 1] as number);
  }

  /** Bytes of the elements from one offset to another, both included, with their separators. */
  bytesOf(from: number, to: number): number {
    return (this.#ends[to - this.first] as number) - this.startOf(from);
  }

  /** All elements, without the last separator, as DEFLATE blocks that refer to nothing before them. */
  get deflated(): Uint8Array {
    if (this.#deflated === null) {
      const plain = this.bytes.subarray(0, this.bytes.length - this.#separatorBytes);
      const deflated = deflateRawSync(plain, { finishFlush: constants.Z_SYNC_FLUSH });
      this.#deflated = deflated.length < plain.length ? deflated : Buffer.concat([...storedBlocks(plain)]);
    }
    return this.#deflated;
  }
}

/** One element alone stays where it is: it is long. */
function joined(elements: readonly Uint8Array[], size: number): Buffer {
  const [first] = elements;
  if (first === undefined || elements.length > 1) return Buffer.concat(elements, size);
  return Buffer.from(first.buffer, first.byteOffset, first.length);
}
