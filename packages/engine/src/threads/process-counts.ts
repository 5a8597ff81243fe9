import type { KeyBound, KeyCounts } from '../bounds.ts';
import { BodyReader, BodyWriter } from './link/body.ts';
import type { LinkEnd } from './link/link-end.ts';

/** Kinds of records about connections that are counted by user and address (threads 5). */
const CountKind = { add: 48, remove: 49 } as const;

const YES = Uint8Array.of(1);
const NO = Uint8Array.of(0);

/** The connections of users and addresses over all threads of a process, as main counts them. */
export class ProcessCounts {
  readonly #counts = new Map<string, number>();
  /** What each thread has counted: ids of connections and their keys. Main is owner 0. */
  readonly #owners: (Map<string, readonly string[]> | undefined)[] = [];

  /** Keys that have connections. */
  get size(): number {
    return this.#counts.size;
  }

  /** The counts for connections of thread `owner`; 0 is main. */
  of(owner: number): KeyCounts & { add(id: string, bounds: readonly KeyBound[]): boolean } {
    const held = new Map<string, readonly string[]>();
    this.#owners[owner] = held;
    return {
      add: (id, bounds) => this.#add(held, id, bounds),
      remove: id => this.#remove(held, id),
    };
  }

  /** Serves the counts of thread `number` through its link. */
  attach(number: number, link: LinkEnd): void {
    const counts = this.of(number);
    link.handle(CountKind.add, body => {
      const from = new BodyReader(body);
      const id = from.text();
      const bounds: KeyBound[] = [];
      for (let left = from.u32(); left > 0; left--) bounds.push({ key: from.text(), most: from.u32() });
      return counts.add(id, bounds) ? YES : NO;
    });
    link.handle(CountKind.remove, body => counts.remove(new BodyReader(body).text()));
  }

  /** A thread has ended, and its connections with it. */
  detach(number: number): void {
    const held = this.#owners[number];
    for (const id of [...(held?.keys() ?? [])]) this.#remove(held, id);
    this.#owners[number] = undefined;
  }

  #add(held: Map<string, readonly string[]>, id: string, bounds: readonly KeyBound[]): boolean {
    if (bounds.some(({ key, most }) => (this.#counts.get(key) ?? 0) >= most)) return false;
    for (const { key } of bounds) this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    held.set(
      id,
      bounds.map(({ key }) => key),
    );
    return true;
  }

  #remove(held: Map<string, readonly string[]> | undefined, id: string): void {
    const keys = held?.get(id) ?? [];
    held?.delete(id);
    for (const key of keys) {
      const count = this.#counts.get(key) ?? 0;
      if (count > 1) this.#counts.set(key, count - 1);
      else this.#counts.delete(key);
    }
  }
}

/** The counts of main, for the node of a thread. */
export class ThreadCounts implements KeyCounts {
  readonly #link: LinkEnd;
  readonly #writer = new BodyWriter();

  constructor(link: LinkEnd) {
    this.#link = link;
  }

  async add(id: string, bounds: readonly KeyBound[]): Promise<boolean> {
    const to = this.#writer.begin().text(id).u32(bounds.length);
    for (const { key, most } of bounds) to.text(key).u32(most);
    try {
      const [answer] = await this.#link.request(CountKind.add, to.body);
      return answer === YES[0];
    } catch (error) {
      // Main may have counted it.
      this.remove(id);
      throw error;
    }
  }

  remove(id: string): void {
    this.#link.postAlways(CountKind.remove, this.#writer.begin().text(id).body);
  }
}
