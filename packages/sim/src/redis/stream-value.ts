import type { Bytes } from './reply.ts';

/** The two halves of an id are one number: milliseconds above, sequence below. */
export const SEQUENCE_BITS = 64n;
export const SEQUENCE_MAX = 2n ** SEQUENCE_BITS - 1n;
export const ID_MAX = 2n ** 128n - 1n;

export interface StreamEntry {
  readonly id: bigint;
  /** Fields and values in turns. */
  readonly fields: readonly Bytes[];
}

/** Entries by rising id, and what is remembered of those that are gone. */
export class StreamValue {
  entries: StreamEntry[] = [];
  lastId = 0n;
  maxDeletedId = 0n;
  entriesAdded = 0;

  static of(other: StreamValue): StreamValue {
    const copy = new StreamValue();
    copy.entries = [...other.entries];
    copy.lastId = other.lastId;
    copy.maxDeletedId = other.maxDeletedId;
    copy.entriesAdded = other.entriesAdded;
    return copy;
  }

  add(entry: StreamEntry): void {
    this.entries.push(entry);
    this.lastId = entry.id;
    this.entriesAdded++;
  }

  /** The first place whose id is not below this one. */
  placeOf(id: bigint): number {
    let low = 0;
    let high = this.entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.entries[middle] as StreamEntry).id < id)
        low = middle + 1; // within the list
      else high = middle;
    }
    return low;
  }

  delete(id: bigint): boolean {
    const place = this.placeOf(id);
    if (this.entries[place]?.id !== id) return false;
    this.entries.splice(place, 1);
    if (id > this.maxDeletedId) this.maxDeletedId = id;
    return true;
  }
}

export function idOf(milliseconds: bigint, sequence: bigint): bigint {
  return (milliseconds << SEQUENCE_BITS) | sequence;
}

/** `milliseconds-sequence` */
export function idText(id: bigint): Bytes {
  return `${id >> SEQUENCE_BITS}-${id & SEQUENCE_MAX}`;
}
