import type { WriterOp } from './port.ts';

/** Operations of one request at most (append streams 5.1). */
const MAX_OPS = 1024;
/** Bytes of one request, about. */
const MAX_REQUEST_BYTES = 1_048_576;
/** Texts are joined up to this length. */
const MAX_TEXT = 16_384;
/** A shorter text is not split because a message is full. */
const SMALLEST_SPLIT = 256;

/**
 * The operations of one message. Texts that wait are joined until they get a number; from then on an operation is never
 * cut again. Numbered ones are kept, so that lost writes can be sent again.
 */
export class OpQueue {
  /** The operation at index i has the number base + i + 1. */
  #numbered: WriterOp[] = [];
  #base: number;
  #waiting: WriterOp[] = [];
  #waitingBytes = 0;
  /** Operations of a request, and characters of a text, at most: less once the message is nearly full. */
  #mostOps = MAX_OPS;
  #mostText = MAX_TEXT;
  /** Number of the last operation that is stored. */
  acknowledged: number;

  /** @param base number of the last operation that is not here */
  constructor(base = 0) {
    this.#base = base;
    this.acknowledged = base;
  }

  /** Bytes, about, that have no number yet. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** True when everything is stored. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0 && this.acknowledged === this.#last;
  }

  get #last(): number {
    return this.#base + this.#numbered.length;
  }

  add(op: WriterOp): void {
    const size = sizeOf(op);
    this.#waitingBytes += size;
    const last = this.#waiting.at(-1);
    if ('text' in op && last !== undefined && 'text' in last && last.text.length + op.text.length <= MAX_TEXT)
      this.#waiting[this.#waiting.length - 1] = { text: last.text + op.text };
    else this.#waiting.push(op);
  }

  /** The next request: operations that are not stored, with numbers. */
  next(): { readonly seq: number; readonly ops: readonly WriterOp[] } {
    if (this.acknowledged === this.#last) this.#number();
    const from = this.acknowledged - this.#base;
    return { seq: this.acknowledged + 1, ops: fitting(this.#numbered.slice(from, from + MAX_OPS)) };
  }

  #number(): void {
    const [first, ...others] = this.#waiting;
    if (first !== undefined && 'text' in first && first.text.length > this.#mostText) {
      const [start = '', ...rest] = textParts(first.text, this.#mostText);
      this.#waiting = [{ text: start }, { text: rest.join('') }, ...others];
    }
    const ops = fitting(this.#waiting.slice(0, this.#mostOps));
    this.#waiting = this.#waiting.slice(ops.length);
    for (const op of ops) {
      this.#numbered.push(op);
      this.#waitingBytes -= sizeOf(op);
    }
  }

  /** The store has everything up to this number. False: it lacks operations that are not here. */
  rewind(acknowledged: number): boolean {
    if (acknowledged < this.#base || acknowledged > this.#last) return false;
    this.acknowledged = acknowledged;
    return true;
  }

  /** The store lost the message: its first operations stand for those that are not here. */
  reopen(first: readonly WriterOp[]): void {
    this.#numbered = [...first, ...this.#numbered];
    this.#base = 0;
    this.acknowledged = 0;
  }

  /**
   * The next request was too large, and nothing of it was applied: it, and those after it, become half as large. False:
   * the message takes nothing more.
   */
  shrink(): boolean {
    const { length } = this.next().ops;
    this.#takeBack();
    const [first] = this.#waiting;
    this.#mostOps = Math.max(length >> 1, 1);
    if (length > 1) return true;
    if (first === undefined || !('text' in first) || first.text.length <= SMALLEST_SPLIT) return false;
    this.#mostText = Math.ceil(first.text.length / 2);
    return true;
  }

  /** Takes back the numbers of what is not stored. */
  #takeBack(): void {
    const back = this.#numbered.splice(this.acknowledged - this.#base);
    for (const op of back) this.#waitingBytes += sizeOf(op);
    this.#waiting = [...back, ...this.#waiting];
  }

  /** What is not stored, for the next message. */
  rest(): OpQueue {
    this.#takeBack();
    const queue = new OpQueue();
    queue.#waiting = this.#waiting;
    queue.#waitingBytes = this.#waitingBytes;
    this.#waiting = [];
    this.#waitingBytes = 0;
    return queue;
  }
}

function sizeOf(op: WriterOp): number {
  if ('text' in op) return op.text.length;
  if ('item' in op) return op.item.length;
  return 'meta' in op ? op.meta.length : 0;
}

/** As many operations as one request holds; one always. */
function fitting(ops: readonly WriterOp[]): readonly WriterOp[] {
  let bytes = 0;
  const end = ops.findIndex((op, index) => {
    bytes += sizeOf(op);
    return index > 0 && bytes > MAX_REQUEST_BYTES;
  });
  return end < 0 ? ops : ops.slice(0, end);
}

/** Parts of a text that are short enough to be joined, none of which ends inside a character. */
export function* textParts(text: string, longest = MAX_TEXT): Iterable<string> {
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + longest, text.length);
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end--;
    yield text.slice(at, end);
    at = end;
  }
}
