const SMALLEST_BLOCK = 1024;
const LARGEST_BLOCK = 65_536;
/** A piece of that length is a block as it is, unless the open block has room. */
const LARGE_PIECE = 8192;

/**
 * Frees the memory of bytes that nothing uses any more; the collector would come tens of megabytes later. A part of
 * something larger stays.
 */
export function freeBytes({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

/**
 * The bytes of a body that arrives in pieces. Small ones are copied into blocks that grow with the body, and a block is
 * filled before the next one begins: whatever the pieces, a body costs at most half as much again as it holds, and no more
 * than one block.
 */
export class BodyBlocks {
  readonly #announced: number;
  readonly #keepsPieces: boolean;
  /** The body, up to the open block. */
  #blocks: Buffer[] = [];
  /** The block that small pieces are copied to, and how much of it is used. */
  #open: Buffer | undefined;
  #used = 0;
  #size = 0;
  #capacity = 0;

  /**
   * @param announced length of the whole body; 0: unknown
   * @param keepsPieces nothing else uses the pieces: large ones need not be copied, and copied ones are freed
   */
  constructor(announced: number, keepsPieces: boolean) {
    this.#announced = announced;
    this.#keepsPieces = keepsPieces;
  }

  /** Bytes of the body so far. */
  get size(): number {
    return this.#size;
  }

  /** How many bytes of memory {@link append} will add for a piece of that length. */
  growth(length: number): number {
    if (this.#isBlock(length)) return length;
    const missing = length - this.#free;
    if (missing <= 0) return 0;
    const block = Math.max(missing, Math.min(LARGEST_BLOCK, Math.max(SMALLEST_BLOCK, this.#capacity >> 1)));
    const toCome = this.#announced - this.#size - this.#free;
    return toCome >= missing ? Math.min(block, toCome) : block;
  }

  /** Appends a piece, with as much new memory as {@link growth} says. */
  append(piece: Buffer): void {
    const growth = this.growth(piece.length);
    const isBlock = this.#isBlock(piece.length);
    this.#capacity += growth;
    this.#size += piece.length;
    if (isBlock) {
      this.#close();
      this.#blocks.push(piece);
      return;
    }
    const copied = this.#copy(piece);
    if (growth > 0) {
      this.#close();
      this.#open = Buffer.allocUnsafeSlow(growth);
      this.#copy(piece.subarray(copied));
    }
    if (this.#keepsPieces) freeBytes(piece);
  }

  /** Hands the whole body out: bytes that {@link free} leaves alone. */
  join(): Buffer {
    this.#close();
    const [first] = this.#blocks;
    if (first === undefined || this.#blocks.length > 1) return Buffer.concat(this.#blocks, this.#size);
    this.#blocks = [];
    return first;
  }

  /** Frees the memory. */
  free(): void {
    for (const block of this.#blocks.splice(0)) freeBytes(block);
    if (this.#open !== undefined) freeBytes(this.#open);
    this.#open = undefined;
  }

  #isBlock(length: number): boolean {
    return this.#keepsPieces && length >= LARGE_PIECE && this.#free === 0;
  }

  get #free(): number {
    return this.#open === undefined ? 0 : this.#open.length - this.#used;
  }

  #copy(piece: Buffer): number {
    if (this.#open === undefined) return 0;
    const copied = piece.copy(this.#open, this.#used);
    this.#used += copied;
    return copied;
  }

  #close(): void {
    if (this.#open !== undefined) this.#blocks.push(this.#open.subarray(0, this.#used));
    this.#open = undefined;
    this.#used = 0;
  }
}
