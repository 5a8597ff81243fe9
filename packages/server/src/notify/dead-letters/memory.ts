import { type Clock, type Random, systemClock } from '@msg/foundation/clock';
import {
  changedLetter,
  type DeadLetter,
  type DeadLetterClaim,
  type DeadLetterQueue,
  type LetterChange,
  type NewDeadLetter,
} from './contract.ts';

/** Letters kept per sink (messaging details 12.3). */
export const DEAD_LETTERS_PER_SINK = 10_000;

const ID_BYTES = 8;

interface Entry {
  letter: DeadLetter;
  claimed: boolean;
  /** Monotonic milliseconds at which it is removed; absent: it stays. */
  hiddenUntil?: number;
}

function newestFirst(a: DeadLetter, b: DeadLetter): number {
  return b.parkedAt - a.parkedAt || (a.id < b.id ? 1 : -1);
}

/** A queue that ends with its process. A full sink drops its oldest letters. */
export class MemoryDeadLetterQueue implements DeadLetterQueue {
  readonly #random: Random;
  readonly #capacity: number;
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** Letters by sink, then by id in the order of arrival. */
  readonly #sinks = new Map<string, Map<string, Entry>>();
  /** The sink of each id. */
  readonly #sinkOf = new Map<string, string>();

  constructor(
    random: Random,
    capacity = DEAD_LETTERS_PER_SINK,
    clock: Pick<Clock, 'monotonic'> = systemClock,
  ) {
    this.#random = random;
    this.#capacity = capacity;
    this.#clock = clock;
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
    const letters = names.flatMap(name => this.#present(name).map(({ letter }) => letter));
    letters.sort(newestFirst);
    return limit > 0 ? letters.slice(0, limit) : letters;
  }

  async get(id: string): Promise<DeadLetter | undefined> {
    return this.#entry(id)?.letter;
  }

  async sizes(): Promise<ReadonlyMap<string, number>> {
    return new Map([...this.#sinks.keys()].map(sink => [sink, this.#present(sink).length]));
  }

  async discard(id: string): Promise<boolean> {
    return this.#entry(id) !== undefined && this.#remove(id);
  }

  async update(id: string, change: LetterChange): Promise<DeadLetter | undefined> {
    const entry = this.#entry(id);
    if (entry === undefined || entry.claimed) return undefined;
    entry.letter = changedLetter(entry.letter, structuredClone(change));
    return entry.letter;
  }

  async hide(ids: readonly string[], ms: number): Promise<readonly string[]> {
    const until = this.#clock.monotonic() + ms;
    return ids.filter(id => {
      const entry = this.#entry(id);
      if (entry !== undefined) entry.hiddenUntil = until;
      return entry !== undefined;
    });
  }

  async restore(ids: readonly string[]): Promise<number> {
    const now = this.#clock.monotonic();
    let restored = 0;
    for (const id of ids) {
      const entry = this.#sinks.get(this.#sinkOf.get(id) ?? '')?.get(id);
      if (entry?.hiddenUntil === undefined || entry.hiddenUntil <= now) continue;
      delete entry.hiddenUntil;
      restored++;
    }
    return restored;
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

  /** A letter that is not hidden. */
  #entry(id: string): Entry | undefined {
    const entry = this.#sinks.get(this.#sinkOf.get(id) ?? '')?.get(id);
    return entry?.hiddenUntil === undefined ? entry : undefined;
  }

  /** The letters of a sink that are not hidden; it removes those whose time to come back is over. */
  #present(sink: string): readonly Entry[] {
    const entries = [...(this.#sinks.get(sink)?.values() ?? [])];
    const now = this.#clock.monotonic();
    for (const { letter, hiddenUntil } of entries)
      if (hiddenUntil !== undefined && hiddenUntil <= now) this.#remove(letter.id);
    return entries.filter(({ hiddenUntil }) => hiddenUntil === undefined);
  }

  #remove(id: string): boolean {
    const sink = this.#sinkOf.get(id);
    if (sink === undefined) return false;
    this.#sinkOf.delete(id);
    return this.#sinks.get(sink)?.delete(id) ?? false;
  }
}
