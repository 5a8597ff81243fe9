import type { Clock } from '@msg/foundation/clock';

/** The activity of a channel is noted once in this time. */
const NOTED_MS = 1000;
/** With a TTL below this time, every activity is noted at once: a sweep could come before. */
const SHORT_TTL_MS = 4 * NOTED_MS;
/** Channels of one command. */
const BATCH = 250;

/** The activity of a channel, wall-clock time. */
export type ActivityNote = readonly [name: string, at: number];

export interface ActivityNotesOptions {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** Writes notes to the store. */
  readonly write: (notes: readonly ActivityNote[]) => Promise<void>;
}

/**
 * When channels were last active on this node, and not yet in the store. A note waits only after another one of the same
 * channel, a second at most, and only where the channel's TTL is far longer.
 */
export class ActivityNotes {
  readonly #options: ActivityNotesOptions;
  /** Wall-clock time of the last activity. */
  readonly #pending = new Map<string, number>();
  /** Monotonic time of the last note of a channel. */
  readonly #notedAt = new Map<string, number>();
  readonly #underWay = new Set<Promise<void>>();

  constructor(options: ActivityNotesOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#pending.size + this.#notedAt.size;
  }

  /** Notes the activity of a channel; true when it has to be written now, see {@link write}. */
  add(name: string, ttlMs: number): boolean {
    this.#pending.set(name, this.#options.clock.now());
    return ttlMs < SHORT_TTL_MS || this.#isDue(name, this.#options.clock.monotonic());
  }

  /** The activity of the channel is in the store by other means, or of no interest any more. */
  forget(name: string): void {
    this.#pending.delete(name);
  }

  isPending(name: string): boolean {
    return this.#pending.has(name);
  }

  /** Writes what waits for its second and is due. */
  writeDue(): Promise<void> {
    const now = this.#options.clock.monotonic();
    const due: string[] = [];
    for (const name of this.#pending.keys()) if (this.#isDue(name, now)) due.push(name);
    const written = this.write(due);
    for (const [name, at] of this.#notedAt) if (now - at >= NOTED_MS) this.#notedAt.delete(name);
    return written;
  }

  /**
   * Writes all that waits, and resolves when what is under way has arrived, too: a script that the store does not know yet
   * arrives a round trip later than what is sent after it.
   */
  async writeAll(): Promise<void> {
    const underWay = [...this.#underWay];
    await this.write([...this.#pending.keys()]);
    if (underWay.length === 0) return;
    await Promise.allSettled(underWay);
    await this.write([...this.#pending.keys()]); // what has failed
  }

  /** Writes the activity of these channels. What could not be written waits again. */
  async write(names: readonly string[]): Promise<void> {
    const now = this.#options.clock.monotonic();
    const notes: ActivityNote[] = [];
    for (const name of names) {
      const at = this.#pending.get(name);
      if (at === undefined) continue;
      this.#pending.delete(name);
      this.#notedAt.set(name, now);
      notes.push([name, at]);
    }
    if (notes.length === 0) return;
    const batches: Promise<void>[] = [];
    for (let start = 0; start < notes.length; start += BATCH) {
      const batch = this.#writeBatch(notes.slice(start, start + BATCH));
      this.#underWay.add(batch);
      batches.push(batch.finally(() => this.#underWay.delete(batch)));
    }
    const failed = (await Promise.allSettled(batches)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  async #writeBatch(notes: readonly ActivityNote[]): Promise<void> {
    try {
      await this.#options.write(notes);
    } catch (error) {
      for (const [name, at] of notes) {
        this.#notedAt.delete(name);
        this.#pending.set(name, Math.max(at, this.#pending.get(name) ?? 0));
      }
      throw error;
    }
  }

  #isDue(name: string, now: number): boolean {
    return now - (this.#notedAt.get(name) ?? Number.NEGATIVE_INFINITY) >= NOTED_MS;
  }
}
