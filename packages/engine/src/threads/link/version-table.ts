/**
 * Versions of what main keeps, in memory that all threads of a process share (threads 5). Main changes a slot before it
 * answers the caller whose request changed the thing; a thread uses a copy only while the slot has the version under which
 * it was made. A slot is read without a message, so no news can be lost.
 */
export class VersionTable {
  /** For the other threads. */
  readonly memory: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #singles: number;

  /** @param singles slots of single things; all others are shared by names @throws RangeError for memory that is too small */
  constructor(memory: SharedArrayBuffer, singles: number) {
    this.memory = memory;
    this.#words = new Int32Array(memory);
    this.#singles = singles;
    if (this.#words.length <= singles)
      throw new RangeError(`a version table needs more than ${singles} slots`);
  }

  /** A new table with so many slots of single things, and so many that names share. */
  static create(singles: number, named: number): VersionTable {
    return new VersionTable(new SharedArrayBuffer((singles + named) * Int32Array.BYTES_PER_ELEMENT), singles);
  }

  /** The slot of a name. Names that share one cost each other a reading more. */
  slotOf(name: string): number {
    // FNV-1a over the code units.
    let hash = 0x811c9dc5;
    for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
    return this.#singles + ((hash >>> 0) % (this.#words.length - this.#singles));
  }

  /** The version of a slot. It wraps: compare for equality, or with {@link isBehind}. */
  read(slot: number): number {
    return Atomics.load(this.#words, slot);
  }

  /** Gives a slot a version that it did not have lately. @returns that version */
  change(slot: number): number {
    return (Atomics.add(this.#words, slot, 1) + 1) | 0;
  }

  /** Gives a slot a version under which copies were made already, unless it has a later one. For main alone. */
  raise(slot: number, version: number): void {
    if (((version - this.read(slot)) | 0) > 0) Atomics.store(this.#words, slot, version);
  }

  /** Every name may have changed. */
  changeNames(): void {
    for (let slot = this.#singles; slot < this.#words.length; slot++) this.change(slot);
  }

  /** Whether a copy of this version is older than what the slot has. */
  isBehind(slot: number, version: number): boolean {
    return ((version - this.read(slot)) | 0) < 0;
  }
}
