import type { ChannelRecord } from '../../record.ts';

/** How long an open record counts without a confirmation by the store. */
const CONFIRMED_MS = 1000;
/** A record that was not used for this time is forgotten. */
const KEEP_MS = 5000;
/** A record is confirmed in the background once its confirmation is this old. */
const DUE_MS = 400;
/** Maximum number of records. */
const CAPACITY = 16_384;
/** Maximum number of events that are remembered while reads are under way. */
const MOST_CHANGES = 10_000;

interface Entry {
  record: ChannelRecord;
  /** The stored text behind the record. */
  text: string;
  /** Monotonic time at which the store was asked. */
  confirmedAt: number;
  usedAt: number;
}

/** One question to the store. */
export interface Reading {
  readonly askedAt: number;
  /** Number of changes before it. */
  readonly changes: number;
}

/**
 * The open channels that this node publishes into or subscribes to, each as the store said at most {@link CONFIRMED_MS}
 * ago. Only open channels are here: whatever else a channel is, the store is asked. A change by this node, or an event of
 * another one, removes a record at once, and an answer that was asked for before it is not taken.
 */
export class ConfirmedRecords {
  readonly #entries = new Map<string, Entry>();
  readonly #monotonic: () => number;
  /** The number of the last change of each channel since the oldest reading under way. */
  readonly #changed = new Map<string, number>();
  #changes = 0;
  /** Answers to readings before this change are not taken. */
  #allChanged = 0;
  #readings = 0;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The record of an open channel, if it is confirmed; counts as a use. */
  use(name: string): ChannelRecord | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    const now = this.#monotonic();
    entry.usedAt = now;
    return now - entry.confirmedAt < CONFIRMED_MS ? entry.record : undefined;
  }

  /** Before the store is asked. Each needs its {@link end}. */
  begin(): Reading {
    this.#readings++;
    return { askedAt: this.#monotonic(), changes: this.#changes };
  }

  end(): void {
    if (--this.#readings === 0) this.#changed.clear();
  }

  /** Takes an answer, if it is not older than a change. `isUsed`: also when there is no such entry yet. */
  take(name: string, text: string, record: ChannelRecord, reading: Reading, isUsed: boolean): void {
    if (record.state !== 'open') {
      this.drop(name);
      return;
    }
    if (this.isOutdated(name, reading)) return;
    const { askedAt } = reading;
    const entry = this.#entries.get(name);
    if (entry === undefined) {
      if (isUsed && this.#entries.size < CAPACITY)
        this.#entries.set(name, { record, text, confirmedAt: askedAt, usedAt: askedAt });
    } else if (askedAt >= entry.confirmedAt) {
      entry.record = record;
      entry.text = text;
      entry.confirmedAt = askedAt;
    }
  }

  /** Whether the store answered the text that is here already: then it is confirmed. */
  confirm(name: string, text: string, reading: Reading): boolean {
    const entry = this.#entries.get(name);
    if (entry === undefined || entry.text !== text || this.isOutdated(name, reading)) return false;
    entry.confirmedAt = Math.max(entry.confirmedAt, reading.askedAt);
    return true;
  }

  /** The channel has changed, or may have. */
  drop(name: string): void {
    this.#entries.delete(name);
    this.#changes++;
    if (this.#readings === 0) return;
    if (this.#changed.size >= MOST_CHANGES) {
      this.#changed.clear();
      this.#allChanged = this.#changes;
    }
    this.#changed.set(name, this.#changes);
  }

  /** Any channel may have changed. */
  dropAll(): void {
    this.#entries.clear();
    this.#allChanged = ++this.#changes;
  }

  /** At most so many names whose confirmation grows old; forgets the records that are not used any more. */
  due(most: number): readonly string[] {
    const now = this.#monotonic();
    const names: string[] = [];
    for (const [name, { confirmedAt, usedAt }] of this.#entries) {
      if (now - usedAt >= KEEP_MS) this.#entries.delete(name);
      else if (now - confirmedAt >= DUE_MS && names.length < most) names.push(name);
    }
    return names;
  }

  /** Whether the channel may have changed since the store was asked. */
  isOutdated(name: string, { changes }: Reading): boolean {
    return this.#allChanged > changes || (this.#changed.get(name) ?? 0) > changes;
  }
}
