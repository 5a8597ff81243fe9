import type { Clock } from '@msg/foundation/clock';
import type { DashError } from '../errors.ts';
import type { DataRows } from './contract.ts';
import { sizeOfRows } from './row-size.ts';

/** Memory of all kept rows. */
const MOST_BYTES = 64 * 1024 * 1024;
/** What an entry takes besides its rows. */
const ENTRY_BYTES = 1_024;
/** How long a failure is kept, so that a page of many items does not repeat it at once. */
const ERROR_MS = 1_000;

/** Rows or a failure of one query, as kept. */
export type Outcome = { readonly data: DataRows; readonly tookMs: number } | { readonly error: DashError };

interface Entry {
  readonly outcome: Outcome;
  /** The query without its span of time. */
  readonly query: string;
  readonly at: number;
  /** How long it is fresh. */
  readonly liveMs: number;
  readonly bytes: number;
}

/**
 * The rows of queries for as long as their connections allow, and the last rows of each query, which are shown while
 * newer ones fail. Above 64 MiB the queries asked longest ago go first.
 */
export class RowStore {
  readonly #entries = new Map<string, Entry>();
  /** Key of the last rows of each query. */
  readonly #latest = new Map<string, string>();
  readonly #clock: Clock;
  readonly #mostBytes: number;
  #bytes = 0;

  constructor(clock: Clock, mostBytes = MOST_BYTES) {
    this.#clock = clock;
    this.#mostBytes = mostBytes;
  }

  /** Estimated bytes of all that is kept. */
  get bytes(): number {
    return this.#bytes;
  }

  /** What `key` had a short time ago: its failure, or its rows as long as their connection allows. */
  fresh(key: string): { outcome: Outcome; ageMs: number } | undefined {
    return this.#freshEntry(failureOf(key)) ?? this.#freshEntry(key);
  }

  /** The last rows of a query, over any span of time. */
  last(query: string): { data: DataRows; ageMs: number } | undefined {
    const key = this.#latest.get(query);
    const entry = key === undefined ? undefined : this.#entries.get(key);
    if (entry === undefined || !('data' in entry.outcome)) return undefined;
    return { data: entry.outcome.data, ageMs: this.#clock.monotonic() - entry.at };
  }

  /**
   * @param key the query with its span of time.
   * @param liveMs how long rows are fresh.
   */
  keep(key: string, query: string, outcome: Outcome, liveMs: number): void {
    if ('error' in outcome) {
      const entry = { outcome, query, at: this.#clock.monotonic(), bytes: ENTRY_BYTES };
      this.#add(failureOf(key), { ...entry, liveMs: Math.min(ERROR_MS, liveMs) });
      return;
    }
    this.#drop(failureOf(key));
    const latest = this.#latest.get(query);
    if (latest !== undefined && !this.#isFresh(latest)) this.#drop(latest);
    const bytes = ENTRY_BYTES + 2 * key.length + sizeOfRows(outcome.data);
    if (bytes > this.#mostBytes) return;
    this.#add(key, { outcome, query, at: this.#clock.monotonic(), liveMs, bytes });
    this.#latest.set(query, key);
  }

  #add(key: string, entry: Entry): void {
    this.#drop(key);
    this.#entries.set(key, entry);
    this.#bytes += entry.bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#mostBytes) break;
      this.#drop(oldest);
    }
  }

  #isFresh(key: string): boolean {
    const entry = this.#entries.get(key);
    return entry !== undefined && this.#clock.monotonic() - entry.at < entry.liveMs;
  }

  #freshEntry(key: string): { outcome: Outcome; ageMs: number } | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || !this.#isFresh(key)) return undefined;
    this.#entries.delete(key); // asked last: it goes last
    this.#entries.set(key, entry);
    return { outcome: entry.outcome, ageMs: this.#clock.monotonic() - entry.at };
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
    if (this.#latest.get(entry.query) === key) this.#latest.delete(entry.query);
  }
}

/** Where the failure of a query is kept, beside its rows. */
const failureOf = (key: string): string => `failed ${key}`;
