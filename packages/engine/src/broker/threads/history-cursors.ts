import type { Clock, TimerHandle } from '@msg/foundation/clock';
import { BodyWriter } from '../../threads/link/body.ts';
import type { HistoryResult } from '../contract.ts';
import { HistoryPageWriter } from './history-pages.ts';

/** How long main keeps the rest of a read for its thread (threads 3.2). */
const PINNED_MS = 5000;

/** The page of a read that has ended, or was kept for too long: every other page has a publication. */
const NO_PAGE = new Uint8Array(0);

interface Cursor {
  readonly pages: HistoryPageWriter;
  readonly timer: TimerHandle;
}

/**
 * The reads of one thread that have further pages. What a read found stays as it was, whatever its stream does meanwhile: all
 * pages are of one moment.
 */
export class HistoryCursors {
  readonly #clock: Clock;
  readonly #writer = new BodyWriter();
  readonly #cursors = new Map<number, Cursor>();
  #lastId = 0;
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The first page of what a read found. */
  open(result: HistoryResult): Uint8Array {
    if (this.#isClosed) return NO_PAGE; // the thread has ended meanwhile
    const pages = new HistoryPageWriter(result);
    const page = pages.first(this.#writer.begin(), () => {
      this.#lastId = this.#lastId === 0xffff_ffff ? 1 : this.#lastId + 1;
      const id = this.#lastId;
      const timer = this.#clock.setTimeout(() => this.#cursors.delete(id), PINNED_MS);
      this.#cursors.set(id, { pages, timer });
      return id;
    });
    return new Uint8Array(page);
  }

  /** The next page, valid until another one is written; without a byte at the end of the read. */
  next(id: number): Uint8Array {
    const cursor = this.#cursors.get(id);
    if (cursor === undefined) return NO_PAGE;
    const page = cursor.pages.next(this.#writer.begin());
    if (cursor.pages.isDone) this.#close(id, cursor);
    return page;
  }

  /** The thread has ended. */
  close(): void {
    this.#isClosed = true;
    for (const [id, cursor] of this.#cursors) this.#close(id, cursor);
  }

  #close(id: number, { timer }: Cursor): void {
    this.#clock.clearTimeout(timer);
    this.#cursors.delete(id);
  }
}
