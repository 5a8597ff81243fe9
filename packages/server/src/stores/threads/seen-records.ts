import type { VersionTable } from '@msg/engine/threads';
import type { Clock } from '@msg/foundation/clock';
import type { ChannelRecord, ChannelState } from '../../channels/record.ts';

/** Records that a thread keeps (threads 5). */
const MOST = 10_000;

/** When a question was asked: what came later is newer than its answer. */
export interface Reading {
  readonly number: number;
  readonly version: number;
}

interface Seen {
  readonly record: ChannelRecord;
  /** Number of the question, or of the event, that it is from. */
  readonly number: number;
  /** The version of the channel before the question; undefined: it is from an event. */
  readonly version: number | undefined;
  readonly at: number;
}

/** The records of channels as a thread saw them last. Absence is never kept. */
export class SeenRecords {
  readonly #versions: VersionTable;
  readonly #clock: Clock;
  readonly #copyMs: number;
  /** The one that was seen longest ago comes first. */
  readonly #seen = new Map<string, Seen>();
  #number = 0;

  /** @param copyMs how long a record serves as current */
  constructor(versions: VersionTable, clock: Clock, copyMs: number) {
    this.#versions = versions;
    this.#clock = clock;
    this.#copyMs = copyMs;
  }

  /** A question about a channel begins. */
  begin(name: string): Reading {
    return { number: ++this.#number, version: this.#versions.read(this.#versions.slotOf(name)) };
  }

  /** Takes the answer of a question, unless something newer is known. */
  take(name: string, record: ChannelRecord | undefined, { number, version }: Reading): void {
    const before = this.#seen.get(name);
    if (before !== undefined && before.number > number) return;
    this.#seen.delete(name);
    if (record === undefined) return;
    this.#seen.set(name, { record, number, version, at: this.#clock.monotonic() });
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > MOST && oldest !== undefined) this.#seen.delete(oldest);
  }

  /** A channel got another state: its record is asked for again before it serves as current. */
  changed(name: string, state: ChannelState): void {
    const before = this.#seen.get(name);
    if (before === undefined) return;
    const { record, at } = before;
    this.#seen.set(name, { record: { ...record, state }, number: ++this.#number, version: undefined, at });
  }

  /** The record is gone. */
  remove(name: string): void {
    this.#seen.delete(name);
  }

  /** The record, if main did not change the channel since. */
  current(name: string): ChannelRecord | undefined {
    const seen = this.#seen.get(name);
    if (seen === undefined || seen.version !== this.#versions.read(this.#versions.slotOf(name)))
      return undefined;
    return this.#clock.monotonic() - seen.at < this.#copyMs ? seen.record : undefined;
  }

  /** The record as it was seen last. */
  latest(name: string): ChannelRecord | undefined {
    return this.#seen.get(name)?.record;
  }
}
