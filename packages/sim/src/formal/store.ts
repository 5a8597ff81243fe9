import type { HistoryResult, Publication } from '@msg/engine';
import { newPublication } from '@msg/engine/internal';
import { Payload } from '@msg/protocol';

/** Publications that a stream keeps: WINDOW of recovery.qnt. */
const WINDOW = 3;

/** What was published, at its position. */
export interface Pub {
  readonly epoch: number;
  readonly offset: number;
  readonly text: number;
}

/** texts[i] was published at offset i + 1; those from offset `first` on are in the window. */
interface Contents {
  readonly epoch: number;
  readonly texts: readonly number[];
  readonly first: number;
}

const fresh = (epoch: number): Contents => ({ epoch, texts: [], first: 1 });

/** The stream of one channel and its replica, with every fault of the model. */
export class FormalStore {
  contents = fresh(1);
  #replica = fresh(1);
  #epochs = 1;
  #texts = 0;

  get top(): number {
    return this.contents.texts.length;
  }

  /** Whether a fail-over would change anything. */
  get replicaLags(): boolean {
    return JSON.stringify(this.#replica) !== JSON.stringify(this.contents);
  }

  /** The text that the next publication gets. */
  get nextText(): number {
    return this.#texts + 1;
  }

  append(text: number): Pub {
    this.#texts = text;
    const { epoch, first, texts } = this.contents;
    const offset = texts.length + 1;
    this.contents = { epoch, texts: [...texts, text], first: Math.max(first, offset - WINDOW + 1) };
    return { epoch, offset, text };
  }

  trim(): void {
    this.contents = { ...this.contents, first: this.top + 1 };
  }

  expire(): void {
    this.contents = fresh(++this.#epochs);
  }

  flush(): void {
    this.expire();
    this.replicate();
  }

  replicate(): void {
    this.#replica = this.contents;
  }

  failOver(): void {
    this.contents = this.#replica;
  }

  /** A new epoch; offsets go on. */
  renew(): void {
    this.contents = { ...this.contents, epoch: ++this.#epochs };
  }

  /** Whether another text has the place of this publication, or none has. */
  isRewound({ epoch, offset, text }: Pub): boolean {
    const { contents } = this;
    if (contents.epoch !== epoch) return false;
    return this.top < offset || (offset >= contents.first && contents.texts[offset - 1] !== text);
  }

  /** The top, and what the window holds after an offset; null: the top alone. */
  read(after: number | null): HistoryResult {
    const { epoch, texts, first } = this.contents;
    const from = after === null ? this.top + 1 : Math.max(after + 1, first);
    const publications = texts
      .slice(from - 1)
      .map((text, i) => publicationOf({ epoch, offset: from + i, text }));
    return { offset: this.top, epoch: epochName(epoch), publications };
  }
}

export function epochName(epoch: number): string {
  return epoch === 0 ? '' : `e${epoch}`;
}

export function epochOf(name: string): number {
  return name === '' ? 0 : Number(name.slice(1));
}

export function publicationOf({ offset, text }: Pub): Publication {
  return newPublication(new Payload(Buffer.from(String(text))), offset, {}, 0);
}

export function textOf({ data }: Publication): number {
  return Number(Buffer.from(data.bytes).toString());
}
