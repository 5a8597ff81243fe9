import type { Publication } from '@msg/protocol';
import type { CompactedWindow, HistoryFilter, HistoryResult, HistoryWindow } from './contract.ts';
import type { Stream } from './stream.ts';

interface Entry {
  readonly publication: Publication;
  /** Every offset between this one and the entry's own was a state of the message that was open then. */
  readonly prior: number;
  /** The last state of a message, which is never the base of a patch. */
  readonly isState: boolean;
}

/**
 * The history window of a channel with append streams: one entry per message, its newest state, so offsets may jump
 * (append streams 11). Entries are in the order of their offsets; the open message stands beside them. Pure data: expiry
 * is its owner's.
 */
export class CompactedStream implements HistoryWindow {
  /** Its owner may give it another one. */
  epoch: string;
  top: number;
  #entries: Entry[];
  /** Newest state of the open message, and its `prior`; null: no message is open. */
  #open: Publication | null = null;
  #openPrior = 0;

  /** Takes the entries of a window without messages. */
  constructor(window: Stream) {
    this.epoch = window.epoch;
    this.top = window.top;
    this.#entries = window
      .read({ limit: -1 })
      .map(publication => ({ publication, prior: publication.offset - 1, isState: false }));
  }

  /** Entries retained, the open message not counted. */
  get length(): number {
    return this.#entries.length;
  }

  /** Newest state of the open message. */
  get open(): Publication | null {
    return this.#open;
  }

  append(publication: Publication, size: number): void {
    const prior = this.#open === null ? this.top : this.#openPrior;
    this.top++;
    if (this.#open !== null) this.#openPrior = this.top;
    this.#add({ publication, prior, isState: false }, size);
  }

  /** Appends a state at offset `top + 1` in place of the former one; the first opens the message. */
  appendState(publication: Publication): void {
    if (this.#open === null) this.#openPrior = this.top;
    this.top++;
    this.#open = publication;
  }

  /** Appends the last state of the open message, or of one that opens and ends with it; it becomes an entry. */
  endState(publication: Publication, size: number): void {
    this.appendState(publication);
    this.#open = null;
    this.#add({ publication, prior: this.#openPrior, isState: true }, size);
  }

  /** The open message is lost: the hole that it leaves stays visible. */
  dropOpen(): void {
    this.#open = null;
  }

  /** The publication at the top if it may be the base of a patch for an ordinary one. */
  base(): Publication | null {
    const last = this.#entries.at(-1);
    return last === undefined || last.isState || last.publication.offset !== this.top
      ? null
      : last.publication;
  }

  /** Drops the entries; `top`, `epoch` and the open message stay. */
  clear(): void {
    this.#entries = [];
  }

  read({ since, limit, reverse }: HistoryFilter): Publication[] {
    const offset = since?.offset;
    if (reverse === true) return cut(this.#before(offset ?? Number.POSITIVE_INFINITY).reverse(), limit);
    return cut(this.#after(offset ?? 0), limit);
  }

  /** What a read of these publications may claim. */
  compacted(publications: readonly Publication[]): CompactedWindow {
    const priors = publications.map(({ offset }) =>
      offset === this.#open?.offset
        ? this.#openPrior
        : (this.#entries[this.#indexAfter(offset - 1)]?.prior ?? offset - 1),
    );
    const open = this.#open;
    return { priors, open, following: open === null ? [] : this.#after(open.offset) };
  }

  #add(entry: Entry, size: number): void {
    this.#entries.push(entry);
    if (this.#entries.length > size) this.#entries.splice(0, this.#entries.length - size);
  }

  #after(offset: number): Publication[] {
    return this.#merged(this.#entries.slice(this.#indexAfter(offset)), open => open.offset > offset);
  }

  #before(offset: number): Publication[] {
    return this.#merged(this.#entries.slice(0, this.#indexAfter(offset - 1)), open => open.offset < offset);
  }

  /** The publications of entries, with the open message at its own offset if it is selected. */
  #merged(entries: readonly Entry[], selects: (open: Publication) => boolean): Publication[] {
    const publications = entries.map(({ publication }) => publication);
    const open = this.#open;
    if (open === null || !selects(open)) return publications;
    const at = publications.findIndex(({ offset }) => offset > open.offset);
    publications.splice(at < 0 ? publications.length : at, 0, open);
    return publications;
  }

  /** Index of the first entry with a higher offset. */
  #indexAfter(offset: number): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#entries[middle] as Entry).publication.offset > offset) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

function cut(publications: Publication[], limit: number): Publication[] {
  return limit < 0 ? publications : publications.slice(0, limit);
}

/** A read of a window. */
export function readOf(window: Stream | CompactedStream, filter: HistoryFilter): HistoryResult {
  const publications = filter.limit === 0 ? [] : window.read(filter);
  const result = { publications, offset: window.top, epoch: window.epoch };
  return window instanceof CompactedStream
    ? { ...result, compacted: window.compacted(publications) }
    : result;
}
