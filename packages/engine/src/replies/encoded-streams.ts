import type { Publication, ServerCodec } from '@msg/protocol';
import { OwnTotal, type Total } from '../bounds.ts';
import type { TagsFilter } from '../delivery/tags-filter.ts';
import { EncodedRun } from './encoded-run.ts';
import type { ListForm } from './list-element.ts';
import { isReversed, type PublicationList } from './publication-list.ts';
import { SegmentSequence, type TakenSegment } from './segment-sequence.ts';

const COMMA = Uint8Array.of(0x2c);

/**
 * The publications of long history and recovery replies of one node, encoded once per stream and form for all
 * connections that get them, as long as one of them does. A publication is known by channel, epoch and offset, so
 * readers of different ranges share, and so do those that read the store at different times.
 */
export class EncodedStreams {
  readonly #sequences = new Map<string, SegmentSequence>();
  readonly #held: Total;

  /** @param held the encoded bytes are added to it while they are held */
  constructor(held: Total = new OwnTotal()) {
    this.#held = held;
  }

  /** Encoded bytes held at the moment. */
  get bytes(): number {
    let bytes = 0;
    for (const sequence of this.#sequences.values()) bytes += sequence.bytes;
    return bytes;
  }

  /**
   * The run of a shared list for connections of an encoding. The caller releases it.
   *
   * @throws EncodeError when a publication cannot be expressed in that encoding.
   */
  run(codec: ServerCodec, list: PublicationList): EncodedRun {
    const reversed = isReversed(list.window);
    const window = reversed ? list.window.toReversed() : list.window;
    const to = window.length - 1;
    const segments: TakenSegment[] = [];
    try {
      if (list.delta) {
        this.#sequence(codec, list, 'delta-full').take(window, 0, 0, segments);
        if (to > 0) this.#sequence(codec, list, 'delta-patch').take(window, 1, to, segments);
      } else this.#sequence(codec, list, 'plain').take(window, 0, to, segments);
      const selection = {
        first: (window[0] as Publication).offset,
        last: (window[to] as Publication).offset,
        reversed,
        picked: list.filter === null ? null : pickedBits(window, list.filter),
      };
      return new EncodedRun(segments, selection, COMMA.subarray(0, codec.separatorBytes));
    } catch (error) {
      for (const { segment, sequence } of segments) sequence.release(segment);
      throw error;
    }
  }

  #sequence(codec: ServerCodec, { channel, epoch, kind }: PublicationList, form: ListForm): SegmentSequence {
    // In JSON both kinds of list have the same elements.
    const elements = codec.encoding === 'json' ? '' : kind;
    const key = `${codec.encoding} ${elements} ${form} ${epoch} ${channel}`;
    let sequence = this.#sequences.get(key);
    if (sequence === undefined) {
      const emptied = (): void => void this.#sequences.delete(key);
      sequence = new SegmentSequence({ codec, kind, form, held: this.#held, emptied });
      this.#sequences.set(key, sequence);
    }
    return sequence;
  }
}

/** One bit per publication that passes. */
function pickedBits(window: readonly Publication[], filter: TagsFilter): Uint8Array {
  const bits = new Uint8Array((window.length + 7) >> 3);
  for (let i = 0; i < window.length; i++) {
    if (filter.matches((window[i] as Publication).tags)) (bits[i >> 3] as number) |= 1 << (i & 7);
  }
  return bits;
}
