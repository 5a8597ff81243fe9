import type { Publication } from '@msg/protocol';

export const SIZE = 40;

/** What was published into one channel on main, in its order. */
export class Truth {
  readonly texts: string[] = [];
  /** The step of the run in which each was published. */
  readonly steps: number[] = [];
  epoch = '';
  /** The newest offset that a publisher was answered. */
  answeredTop = 0;
  /** Nothing up to here is retained. */
  trimmedTo = 0;

  get top(): number {
    return this.texts.length;
  }

  /** Why a publication is not the one of its offset; null: it is. */
  fault({ offset, data }: Publication): string | null {
    const text = Buffer.from(data.bytes).toString();
    const expected = this.texts[offset - 1];
    if (text === expected) return null;
    return `publication ${offset} is ${text.slice(0, 20)} (${text.length}) instead of ${expected?.slice(0, 20)}`;
  }
}

/** What one thread got of one channel, from its subscribe to its unsubscribe. */
export class Followed {
  state: 'subscribing' | 'live' | 'unsubscribing' = 'subscribing';
  /** The top of the stream when main answered the subscribe: everything behind it has to come. */
  answeredAt = Number.POSITIVE_INFINITY;
  readonly received = new Set<number>();
  /** The step of the last gap that named the channel. */
  toldAt = -1;
  /** Own publications that were answered before they came: they may only have been dropped. */
  readonly answeredFirst = new Set<number>();
  #last = 0;

  /** A publication came; answers what is wrong with that. */
  arrived(publication: Publication, truth: Truth): string | null {
    const { offset } = publication;
    if (offset <= this.#last) return `publication ${offset} came after ${this.#last}`;
    if (this.answeredFirst.has(offset)) return `publication ${offset} came after the answer to its publish`;
    this.#last = offset;
    this.received.add(offset);
    return truth.fault(publication);
  }

  /** The first publication that did not come, and that no gap told; null: there is not one. */
  missing(truth: Truth): number | null {
    for (let offset = this.answeredAt + 1; offset <= truth.top; offset++)
      if (!this.received.has(offset) && this.toldAt < (truth.steps[offset - 1] as number)) return offset;
    return null;
  }
}
