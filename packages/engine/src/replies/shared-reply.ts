import type { Init, PublicationList as ListMember, Reply } from '@msg/protocol';
import type { Envelope, Framing } from '../transports/contract.ts';
import type { EncodedRun } from './encoded-run.ts';
import type { EncodedStreams } from './encoded-streams.ts';
import type { PublicationList } from './publication-list.ts';
import { storedBlocks } from './stored-blocks.ts';

/** The rest of an empty stored block, whose length the receiver adds (RFC 7692, 7.2.3.3). */
const BLOCK_END = Uint8Array.of(0);

type Part = Uint8Array | EncodedRun;

/**
 * One reply in one frame, built while the socket takes it: its own bytes around lists of publications that connections
 * share. Its size is known from the start.
 */
export class SharedReply {
  /** Bytes of the frame. */
  readonly size: number;
  /** Bytes of the frame that {@link next} has not returned yet. */
  remaining: number;
  readonly #runs: readonly EncodedRun[];
  readonly #pieces: Generator<Uint8Array>;

  private constructor(size: number, runs: readonly EncodedRun[], pieces: Generator<Uint8Array>) {
    this.size = size;
    this.remaining = size;
    this.#runs = runs;
    this.#pieces = pieces;
  }

  /**
   * Encodes a reply around its shared lists. The caller releases it.
   *
   * @throws EncodeError when something in it cannot be expressed in the encoding.
   */
  static encode(
    framing: Framing,
    reply: Init<Reply>,
    lists: readonly PublicationList[],
    streams: EncodedStreams,
  ): SharedReply {
    const runs = new Map<ListMember, EncodedRun>();
    try {
      for (const list of lists) runs.set(list.publications, streams.run(framing.codec, list));
      const sizes = new Map([...runs].map(([list, { size }]) => [list, size]));
      const parts = framing.codec.encodeReplyAround(reply, sizes).map(part => partOf(part, runs));
      return SharedReply.#frame(framing, parts, [...runs.values()]);
    } catch (error) {
      for (const run of runs.values()) run.release();
      throw error;
    }
  }

  static #frame(framing: Framing, parts: readonly Part[], runs: readonly EncodedRun[]): SharedReply {
    let plainSize = 0;
    for (const part of parts) plainSize += part instanceof Uint8Array ? part.length : part.size;
    if (framing.deflatedEnvelope !== undefined && runs.every(run => run.deflatable)) {
      let size = 0;
      for (const piece of deflated(parts, false)) size += piece.length;
      if (size < plainSize) {
        return SharedReply.#enveloped(framing.deflatedEnvelope(size), size, runs, deflated(parts, true));
      }
    }
    return SharedReply.#enveloped(framing.envelope(plainSize), plainSize, runs, plain(parts));
  }

  static #enveloped(
    { before, after }: Envelope,
    size: number,
    runs: readonly EncodedRun[],
    pieces: Generator<Uint8Array>,
  ): SharedReply {
    return new SharedReply(before.length + size + after.length, runs, around(before, pieces, after));
  }

  /** The next bytes of the frame; null at its end. */
  next(): Uint8Array | null {
    for (;;) {
      const { value, done } = this.#pieces.next();
      if (done === true) return null;
      this.remaining -= value.length;
      if (value.length > 0) return value;
    }
  }

  /** Releases the shared lists; {@link next} must not be called afterwards. Safe to call again. */
  release(): void {
    for (const run of this.#runs) run.release();
  }
}

function partOf(part: Uint8Array | ListMember, runs: ReadonlyMap<ListMember, EncodedRun>): Part {
  return part instanceof Uint8Array ? part : (runs.get(part) as EncodedRun);
}

function* plain(parts: readonly Part[]): Generator<Uint8Array> {
  for (const part of parts) {
    if (part instanceof Uint8Array) yield part;
    else yield* part.pieces();
  }
}

/** The frame as blocks of DEFLATE (RFC 7692, 7.2): own bytes are stored, shared bytes were deflated once. */
function* deflated(parts: readonly Part[], releasing: boolean): Generator<Uint8Array> {
  for (const part of parts) yield* part instanceof Uint8Array ? storedBlocks(part) : part.deflated(releasing);
  yield BLOCK_END;
}

function* around(before: Uint8Array, pieces: Iterable<Uint8Array>, after: Uint8Array): Generator<Uint8Array> {
  yield before;
  yield* pieces;
  yield after;
}
