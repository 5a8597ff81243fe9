import type { Segment } from './segment.ts';
import type { TakenSegment } from './segment-sequence.ts';

/** The publications that a list takes from its segments, and their order. */
export interface RunSelection {
  /** Offsets of the oldest and the newest publication. */
  readonly first: number;
  readonly last: number;
  /** The newest comes first. */
  readonly reversed: boolean;
  /** One bit per offset from `first` on, set for those that the client gets; null: all. */
  readonly picked: Uint8Array | null;
}

/** Walks over the stretches of segments in the order of the list, without allocating. */
export class RunCursor {
  /** The stretch: elements from one offset to another of a segment. */
  segment: Segment | null = null;
  from = 0;
  to = 0;
  /** Index of the segment. */
  index: number;
  readonly #segments: readonly (TakenSegment | null)[];
  readonly #selection: RunSelection;
  /** The next offset. */
  #next: number;

  /** `segments`: ascending, together at least the offsets of the selection. */
  constructor(segments: readonly (TakenSegment | null)[], selection: RunSelection) {
    this.#segments = segments;
    this.#selection = selection;
    this.index = selection.reversed ? segments.length : -1;
    this.#next = selection.reversed ? selection.last : selection.first;
  }

  /** Moves to the next stretch; false at the end. */
  advance(): boolean {
    return this.#selection.reversed ? this.#back() : this.#forward();
  }

  #forward(): boolean {
    const { last, picked } = this.#selection;
    while (this.#next <= last && !this.#isPicked(this.#next)) this.#next++;
    if (this.#next > last) return false;
    while (this.segment === null || this.segment.last < this.#next) this.#enter(this.index + 1);
    const end = Math.min(this.segment.last, last);
    this.from = this.#next;
    this.to = picked === null ? end : this.from;
    while (this.to < end && this.#isPicked(this.to + 1)) this.to++;
    this.#next = this.to + 1;
    return true;
  }

  /** Moves one publication back. */
  #back(): boolean {
    const { first } = this.#selection;
    while (this.#next >= first && !this.#isPicked(this.#next)) this.#next--;
    if (this.#next < first) return false;
    while (this.segment === null || this.segment.first > this.#next) this.#enter(this.index - 1);
    this.from = this.#next;
    this.to = this.#next;
    this.#next--;
    return true;
  }

  #enter(index: number): void {
    this.index = index;
    this.segment = (this.#segments[index] as TakenSegment).segment;
  }

  #isPicked(offset: number): boolean {
    const { picked, first } = this.#selection;
    if (picked === null) return true;
    const bit = offset - first;
    return ((picked[bit >> 3] as number) & (1 << (bit & 7))) !== 0;
  }
}
