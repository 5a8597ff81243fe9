import type { Bytes } from '../redis/reply.ts';

/** A reply as it was read: its mark, and its text or its items. */
export interface Node {
  readonly mark: string;
  readonly text?: Bytes;
  readonly items?: readonly Node[];
}

const AGGREGATES = '*%~>';
const BULKS = '$=!';

/** Reads replies off bytes that come in pieces. */
export class Replies {
  #bytes: Bytes = '';
  #at = 0;

  push(bytes: Bytes): void {
    this.#bytes = this.#bytes.slice(this.#at) + bytes;
    this.#at = 0;
  }

  /** The next whole reply. */
  next(): Node | undefined {
    const begun = this.#at;
    const node = this.#read();
    if (node === undefined) this.#at = begun;
    return node;
  }

  /** Bytes that are not a whole reply yet. */
  get rest(): Bytes {
    return this.#bytes.slice(this.#at);
  }

  #read(): Node | undefined {
    const end = this.#bytes.indexOf('\r\n', this.#at);
    if (end === -1) return undefined;
    const mark = this.#bytes[this.#at] ?? '';
    const line = this.#bytes.slice(this.#at + 1, end);
    this.#at = end + 2;
    if (line === '-1' && (mark === '*' || mark === '$')) return { mark: `${mark}-1` };
    if (BULKS.includes(mark)) return this.#bulk(mark, Number(line));
    if (!AGGREGATES.includes(mark)) return { mark, text: line };
    const items: Node[] = [];
    const length = Number(line) * (mark === '%' ? 2 : 1);
    for (let index = 0; index < length; index++) {
      const item = this.#read();
      if (item === undefined) return undefined;
      items.push(item);
    }
    return { mark, items };
  }

  #bulk(mark: string, length: number): Node | undefined {
    const end = this.#at + length;
    if (this.#bytes.length < end + 2) return undefined;
    const text = this.#bytes.slice(this.#at, end);
    this.#at = end + 2;
    return { mark, text };
  }
}

/** All replies of bytes that are whole. */
export function repliesOf(bytes: Bytes): readonly Node[] {
  const replies = new Replies();
  replies.push(bytes);
  const nodes: Node[] = [];
  for (let node = replies.next(); node !== undefined; node = replies.next()) nodes.push(node);
  if (replies.rest !== '') nodes.push({ mark: 'rest', text: replies.rest });
  return nodes;
}

/** A reply for people: the mark and the text of each part. */
export function shownNode({ mark, text, items }: Node): string {
  if (items !== undefined) return `${mark}[${items.map(shownNode).join(' ')}]`;
  return text === undefined ? mark : mark + JSON.stringify(text);
}
