/**
 * Sums of growing bytes by index modulo 4. The delta format's checksum of a document that holds these bytes at any place
 * follows from them without reading the bytes again (append streams 8.1).
 */
export class ResidueSums {
  /** Bytes added. */
  length = 0;
  #first = 0;
  #second = 0;
  #third = 0;
  #fourth = 0;

  /** Adds `bytes[start, end)` behind those that were added before. */
  add(bytes: Uint8Array, start: number, end: number): void {
    for (let lane = 0; lane < 4 && start + lane < end; lane++) {
      let sum = 0;
      for (let i = start + lane; i < end; i += 4) sum += bytes[i]!;
      this.#grow((this.length + lane) & 3, sum);
    }
    this.length += end - start;
  }

  /** What the bytes add to the checksum of a document that has them from index `offset` on, as a signed 32-bit number. */
  weightAt(offset: number): number {
    return (
      (this.#first << shiftAt(offset)) +
      (this.#second << shiftAt(offset + 1)) +
      (this.#third << shiftAt(offset + 2)) +
      (this.#fourth << shiftAt(offset + 3))
    );
  }

  #grow(residue: number, sum: number): void {
    if (residue === 0) this.#first = (this.#first + sum) | 0;
    else if (residue === 1) this.#second = (this.#second + sum) | 0;
    else if (residue === 2) this.#third = (this.#third + sum) | 0;
    else this.#fourth = (this.#fourth + sum) | 0;
  }
}

/** What a few bytes add to the checksum of a document that has them from index `offset` on. */
export function weightOf(bytes: Uint8Array, offset: number): number {
  let sum = 0;
  for (let i = 0; i < bytes.length; i++) sum = (sum + (bytes[i]! << shiftAt(offset + i))) | 0;
  return sum;
}

/** The checksum reads big-endian words of four bytes. */
function shiftAt(index: number): number {
  return 24 - ((index & 3) << 3);
}
