import type { Publication, PublicationListKind, ServerCodec } from '@msg/protocol';
import type { Total } from '../bounds.ts';
import { type ListForm, listElement } from './list-element.ts';
import { Segment } from './segment.ts';

/** A segment of this size takes no more publications; a larger publication is a segment by itself. */
const SEGMENT_BYTES = 65_536;

/** What a {@link SegmentSequence} encodes, and whom it tells. */
export interface SegmentSequenceParts {
  readonly codec: ServerCodec;
  readonly kind: PublicationListKind;
  readonly form: ListForm;
  /** The encoded bytes are added to it while they are held. */
  readonly held: Total;
  /** The last segment was released. */
  emptied(): void;
}

/**
 * The encoded publications of one stream in one form: segments in the order of offsets, with gaps where no run reads. A
 * segment lives until its last user releases it.
 */
export class SegmentSequence {
  readonly #codec: ServerCodec;
  readonly #kind: PublicationListKind;
  readonly #form: ListForm;
  readonly #held: Total;
  readonly #emptied: () => void;
  #segments: Segment[] = [];
  bytes = 0;

  constructor({ codec, kind, form, held, emptied }: SegmentSequenceParts) {
    this.#codec = codec;
    this.#kind = kind;
    this.#form = form;
    this.#held = held;
    this.#emptied = emptied;
  }

  /**
   * Adds the segments of `window[from…to]` to `taken`, and encodes missing ones. The window is ascending without gaps.
   * The caller becomes a user of each segment and releases it.
   *
   * @throws EncodeError when a publication cannot be encoded; segments that were already taken stay taken.
   */
  take(window: readonly Publication[], from: number, to: number, taken: TakenSegment[]): void {
    let index = from;
    let at = this.#indexOf(offsetAt(window, from));
    while (index <= to) {
      const offset = offsetAt(window, index);
      let segment = this.#segments[at];
      if (segment === undefined || segment.first > offset) {
        const free = segment === undefined ? to : Math.min(to, index + segment.first - offset - 1);
        segment = this.#encode(window, index, free);
        this.#segments.splice(at, 0, segment);
        this.bytes += segment.bytes.length;
        this.#held.take(segment.bytes.length, Number.POSITIVE_INFINITY);
      }
      segment.users++;
      taken.push({ segment, sequence: this });
      index += segment.last - offset + 1;
      at++;
    }
  }

  /** Removes one user of a segment. */
  release(segment: Segment): void {
    segment.users--;
    if (segment.users > 0) return;
    this.#segments.splice(this.#indexOf(segment.first), 1);
    this.bytes -= segment.bytes.length;
    this.#held.give(segment.bytes.length);
    if (this.#segments.length === 0) this.#emptied();
  }

  /** Index of the first segment that ends at the offset or after it. */
  #indexOf(offset: number): number {
    let low = 0;
    let high = this.#segments.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#segments[middle] as Segment).last < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #encode(window: readonly Publication[], from: number, to: number): Segment {
    const elements: Uint8Array[] = [];
    let size = 0;
    for (let i = from; i <= to; i++) {
      const previous = this.#form === 'delta-patch' ? window[i - 1] : undefined;
      const publication = listElement(this.#codec.encoding, this.#form, window[i] as Publication, previous);
      const element = this.#codec.encodeElement(this.#kind, publication);
      if (size > 0 && size + element.length > SEGMENT_BYTES) break;
      elements.push(element);
      size += element.length;
    }
    return new Segment(offsetAt(window, from), elements, this.#codec.separatorBytes);
  }
}

/** A segment with its owner, which releases it. */
export interface TakenSegment {
  readonly segment: Segment;
  readonly sequence: SegmentSequence;
}

function offsetAt(window: readonly Publication[], index: number): number {
  return (window[index] as Publication).offset;
}
