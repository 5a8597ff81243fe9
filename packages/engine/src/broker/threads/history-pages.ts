import type { Publication } from '@msg/protocol';
import { decodePublicationInPlace, encodePublicationInto } from '@msg/protocol/internal';
import type { BodyReader, BodyWriter } from '../../threads/link/body.ts';
import { LONGEST_INLINE } from '../../threads/link/parcels.ts';
import type { HistoryResult } from '../contract.ts';

/** Bytes of a page, unless one publication alone has more: it fits into a ring, so that nothing is kept for it. */
const PAGE_BYTES = LONGEST_INLINE;

const COMPACTED = 1;
const OPEN = 2;
/** Offset and length before the record of a publication, and its prior behind it. */
const ITEM_BYTES = 20;

/** Writes what a read found, page by page: the publications, the open message, and what followed it. */
export class HistoryPageWriter {
  readonly #result: HistoryResult;
  readonly #count: number;
  #written = 0;

  constructor(result: HistoryResult) {
    const { publications, compacted } = result;
    this.#result = result;
    const open = (compacted?.open ?? null) === null ? 0 : 1;
    this.#count = publications.length + open + (compacted?.following.length ?? 0);
  }

  /** True when the last page was written. */
  get isDone(): boolean {
    return this.#written === this.#count;
  }

  /** Writes the first page; `cursor` gives the number under which the other end asks for the rest, where there is one. */
  first(to: BodyWriter, cursor: () => number): Uint8Array {
    const { offset, epoch, publications, compacted } = this.#result;
    const open = compacted?.open ?? null;
    to.u8((compacted === undefined ? 0 : COMPACTED) | (open === null ? 0 : OPEN))
      .f64(offset)
      .text(epoch)
      .u32(publications.length)
      .u32(compacted?.following.length ?? 0);
    const at = to.length;
    this.next(to.u32(0));
    if (!this.isDone) to.setU32(at, cursor());
    return to.body;
  }

  /** Writes the next page: the publications that still fit into it, one at least. */
  next(to: BodyWriter): Uint8Array {
    for (let isFirst = true; !this.isDone; isFirst = false) {
      const { publication, prior } = this.#at(this.#written);
      const isWritten = encodePublicationInto(publication, bytes =>
        isFirst || to.length + ITEM_BYTES + bytes <= PAGE_BYTES
          ? to.f64(publication.offset).room(bytes)
          : null,
      );
      if (!isWritten) break;
      if (prior !== undefined) to.f64(prior);
      this.#written++;
    }
    return to.body;
  }

  #at(index: number): { publication: Publication; prior: number | undefined } {
    const { publications, compacted } = this.#result;
    const publication = publications[index];
    if (publication !== undefined) return { publication, prior: compacted?.priors[index] };
    const open = compacted?.open ?? null;
    const behind = index - publications.length - (open === null ? 0 : 1);
    return {
      publication: (behind < 0 ? open : compacted?.following[behind]) as Publication,
      prior: undefined,
    };
  }
}

/** Joins the pages of a read. */
export class HistoryPageReader {
  /** Where main has the rest; 0: this page was the only one. */
  readonly cursor: number;
  readonly #position: { readonly offset: number; readonly epoch: string };
  readonly #isCompacted: boolean;
  readonly #hasOpen: boolean;
  readonly #publicationCount: number;
  readonly #followingCount: number;
  readonly #publications: Publication[] = [];
  readonly #priors: number[] = [];
  readonly #following: Publication[] = [];
  #open: Publication | null = null;

  /** Reads the first page. */
  constructor(from: BodyReader) {
    const flags = from.u8();
    this.#isCompacted = (flags & COMPACTED) !== 0;
    this.#hasOpen = (flags & OPEN) !== 0;
    this.#position = { offset: from.f64(), epoch: from.text() };
    this.#publicationCount = from.u32();
    this.#followingCount = from.u32();
    this.cursor = from.u32();
    this.add(from);
  }

  /** True when every page was read. */
  get isDone(): boolean {
    const isOpenRead = !this.#hasOpen || this.#open !== null;
    const [publications, following] = [this.#publications.length, this.#following.length];
    return publications === this.#publicationCount && isOpenRead && following === this.#followingCount;
  }

  /** Reads a page, the first one from behind its head. */
  add(from: BodyReader): void {
    while (!from.isAtEnd) {
      const offset = from.f64();
      const publication = decodePublicationInPlace(from.bytes(), offset);
      if (this.#publications.length < this.#publicationCount) {
        this.#publications.push(publication);
        if (this.#isCompacted) this.#priors.push(from.f64());
      } else if (this.#hasOpen && this.#open === null) this.#open = publication;
      else this.#following.push(publication);
    }
  }

  get result(): HistoryResult {
    const result = { ...this.#position, publications: this.#publications };
    if (!this.#isCompacted) return result;
    return {
      ...result,
      compacted: { priors: this.#priors, open: this.#open, following: this.#following },
    };
  }
}
