import type { Publication } from '@msg/protocol';
import type { HistoryFilter, HistoryWindow } from './contract.ts';

/**
 * The history window of one channel: publications with consecutive offsets, the newest `size` of them.
 * A ring buffer, so that publishing into a full window moves nothing. Pure data: expiry is its owner's.
 */
export class Stream implements HistoryWindow {
  /** Its owner may give it another one. */
  epoch: string;
  /** Last assigned offset; 0 before the first publication. */
  top = 0;
  #items: Publication[] = [];
  /** Index of the oldest item once the ring is full. */
  #head = 0;

  constructor(epoch: string) {
    this.epoch = epoch;
  }

  /** Publications retained. */
  get length(): number {
    return this.#items.length;
  }

  /** Offset of the oldest retained publication; `top + 1` when nothing is retained. */
  get oldestOffset(): number {
    return this.top - this.#items.length + 1;
  }

  append(publication: Publication, size: number): void {
    this.top++;
    if (this.#items.length !== size && (this.#head !== 0 || this.#items.length > size)) this.#resize(size);
    if (this.#items.length < size) {
      this.#items.push(publication);
      return;
    }
    this.#items[this.#head] = publication;
    this.#head = (this.#head + 1) % size;
  }

  /** The retained publication at `offset`, or null. */
  at(offset: number): Publication | null {
    const index = offset - this.oldestOffset;
    if (index < 0 || index >= this.#items.length) return null;
    return this.#items[(this.#head + index) % this.#items.length] as Publication;
  }

  base(): Publication | null {
    return this.at(this.top);
  }

  /** Drops the items; `top` and `epoch` stay. */
  clear(): void {
    this.#items = [];
    this.#head = 0;
  }

  read(filter: HistoryFilter): Publication[] {
    const oldest = this.oldestOffset;
    const limit = filter.limit < 0 ? this.#items.length : Math.min(filter.limit, this.#items.length);
    const result: Publication[] = [];
    if (filter.reverse === true) {
      const newest = filter.since === undefined ? this.top : Math.min(this.top, filter.since.offset - 1);
      for (let o = newest; o >= oldest && result.length < limit; o--) result.push(this.at(o) as Publication);
    } else {
      const first = filter.since === undefined ? oldest : Math.max(oldest, filter.since.offset + 1);
      for (let o = first; o <= this.top && result.length < limit; o++) result.push(this.at(o) as Publication);
    }
    return result;
  }

  /** Straightens the ring and keeps at most `size` of the newest items. */
  #resize(size: number): void {
    const straight = [...this.#items.slice(this.#head), ...this.#items.slice(0, this.#head)];
    this.#items = straight.length > size ? straight.slice(straight.length - size) : straight;
    this.#head = 0;
  }
}
