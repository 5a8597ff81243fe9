import type { NodeTotals, ProcessBounds, Total } from '../bounds.ts';

/** The totals, in the order of their rows. */
const NAMES = [
  'connections',
  'bodies',
  'anonymousBodies',
  'replies',
] as const satisfies readonly (keyof NodeTotals)[];
/** In a row: what each owner holds; main is owner 0. */
const OWNERS = 33;
/** Before the rows: the highest owner that there has been. */
const HIGHEST = 0;
const ROWS = 1;
/** So often an attempt is made again that met only attempts of others; it needs one or two. */
const MOST_ATTEMPTS = 1000;

/** Amounts that the nodes of a process hold together, in memory that all its threads share (threads 5). */
export class SharedTotals {
  /** For the other threads. */
  readonly memory: SharedArrayBuffer;
  readonly further: readonly string[];
  readonly #words: BigInt64Array;

  /** @param further names of totals besides those of nodes, in the same order on every thread */
  constructor(further: readonly string[], memory?: SharedArrayBuffer) {
    const words = ROWS + (NAMES.length + further.length) * OWNERS;
    this.further = further;
    this.memory = memory ?? new SharedArrayBuffer(words * BigInt64Array.BYTES_PER_ELEMENT);
    this.#words = new BigInt64Array(this.memory);
  }

  /** The totals as thread `owner` takes from them; 0 is main. */
  of(owner: number): Pick<ProcessBounds, 'totals' | 'further'> {
    const words = this.#words;
    // Before it holds anything: an attempt that does not see it was written down before, and it sees that one.
    for (let highest = Atomics.load(words, HIGHEST); highest < owner; )
      highest = Atomics.compareExchange(words, HIGHEST, highest, BigInt(owner));
    const rows = [...NAMES, ...this.further];
    const total = (name: string): Total => new SharedTotal(words, ROWS + rows.indexOf(name) * OWNERS, owner);
    return {
      totals: {
        connections: total('connections'),
        bodies: total('bodies'),
        anonymousBodies: total('anonymousBodies'),
        replies: total('replies'),
      },
      further: new Map(this.further.map(name => [name, total(name)])),
    };
  }

  /** Thread `owner` has ended: what it held is free. */
  giveBack(owner: number): void {
    const { totals, further } = this.of(owner);
    for (const total of [...Object.values(totals), ...further.values()]) total.give(total.own);
  }
}

/**
 * One total: the sum of what its owners hold. Only the owner writes its word, so a thread that is ended at any point leaves
 * nothing that could be counted wrong. An attempt to take is written down before the sum is read: of attempts that meet, none
 * exceeds the bound, and the last one that is taken back is made again. So as many of equal amounts are held as the bound says.
 */
class SharedTotal implements Total {
  readonly #words: BigInt64Array;
  /** Place of its row, and of the word in it that the owner writes. */
  readonly #row: number;
  readonly #word: number;

  constructor(words: BigInt64Array, row: number, owner: number) {
    this.#words = words;
    this.#row = row;
    this.#word = row + owner;
  }

  get own(): number {
    return Number(Atomics.load(this.#words, this.#word));
  }

  get all(): number {
    const last = this.#row + Number(Atomics.load(this.#words, HIGHEST));
    let all = 0;
    for (let word = this.#row; word <= last; word++) all += Number(Atomics.load(this.#words, word));
    return all;
  }

  take(amount: number, most: number): boolean {
    const { own } = this;
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      this.#hold(own + amount);
      if (most === Number.POSITIVE_INFINITY || this.all <= most) return true;
      this.#hold(own);
      if (this.all + amount > most) return false;
    }
    return false;
  }

  give(amount: number): void {
    this.#hold(this.own - amount);
  }

  #hold(amount: number): void {
    Atomics.store(this.#words, this.#word, BigInt(amount));
  }
}
