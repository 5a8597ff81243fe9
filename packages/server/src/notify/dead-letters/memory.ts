import type { Random } from '@msg/foundation/clock';
import type { DeadLetter, DeadLetterClaim, DeadLetterQueue, NewDeadLetter } from './contract.ts';

/** Letters kept per sink (messaging details 12.3). */
export const DEAD_LETTERS_PER_SINK = 10_000;

const ID_BYTES = 8;

interface Entry {
  letter: DeadLetter;
  claimed: boolean;
}

function newestFirst(a: DeadLetter, b: DeadLetter): number {
  return b.parkedAt - a.parkedAt || (a.id < b.id ? 1 : -1);
}

/** A queue that ends with its process. A full sink drops its oldest letters. */
export class MemoryDeadLetterQueue implements DeadLetterQueue {
  readonly #random: Random;
  readonly #capacity: number;
  /** Letters by sink, then by id in the order of arrival. */
  readonly #sinks = new Map<string, Map<string, Entry>>();
  /** The sink of each id. */
  readonly #sinkOf = new Map<string, string>();

  constructor(random: Random, capacity = DEAD_LETTERS_PER_SINK) {
    this.#random = random;
    this.#capacity = capacity;
  }

  async push(letter: NewDeadLetter): Promise<string> {
    const id = Buffer.from(this.#random.bytes(ID_BYTES)).toString('hex');
    let entries = this.#sinks.get(letter.sink);
    if (entries === undefined) {
      entries = new Map();
      this.#sinks.set(letter.sink, entries);
    }
    const [oldest] = entries.keys();
    if (entries.size >= this.#capacity && oldest !== undefined) this.#remove(oldest);
    entries.set(id, { letter: structuredClone({ ...letter, id }), claimed: false });
    this.#sinkOf.set(id, letter.sink);
    return id;
  }

  async list(sink: string | undefined, limit: number): Promise<readonly DeadLetter[]> {
    const names = sink === undefined ? [...this.#sinks.keys()] : [sink];
    const letters = names.flatMap(name => [...(this.#sinks.get(name)?.values() ?? [])].map(e => e.letter));
    letters.sort(newestFirst);
    return limit > 0 ? letters.slice(0, limit) : letters;
  }

  async sizes(): Promise<ReadonlyMap<string, number>> {
    return new Map([...this.#sinks].map(([sink, entries]) => [sink, entries.size]));
  }

  async discard(id: string): Promise<boolean> {
    return this.#remove(id);
  }

  async claim(id: string): Promise<DeadLetterClaim | undefined> {
    const entry = this.#entry(id);
    if (entry === undefined || entry.claimed) return undefined;
    entry.claimed = true;
    return {
      letter: entry.letter,
      remove: async () => {
        this.#remove(id);
      },
      fail: async ({ attempts, lastError }) => {
        entry.letter = { ...entry.letter, attempts, lastError };
        entry.claimed = false;
      },
      release: async () => {
        entry.claimed = false;
      },
    };
  }

  #entry(id: string): Entry | undefined {
    return this.#sinks.get(this.#sinkOf.get(id) ?? '')?.get(id);
  }

  #remove(id: string): boolean {
    const sink = this.#sinkOf.get(id);
    if (sink === undefined) return false;
    this.#sinkOf.delete(id);
    return this.#sinks.get(sink)?.delete(id) ?? false;
  }
}
