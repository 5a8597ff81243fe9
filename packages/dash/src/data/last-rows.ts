import type { Clock } from '@msg/foundation/clock';
import type { DataRows } from './contract.ts';

/** Queries whose last rows are kept. */
const MOST_QUERIES = 200;
/** Rows of one query that are kept; of a larger answer nothing is. */
const MOST_ROWS = 5_000;

/** The last rows that each query had, shown while newer ones fail. The queries asked longest ago go first. */
export class LastRows {
  readonly #kept = new Map<string, { data: DataRows; at: number }>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  keep(query: string, data: DataRows): void {
    this.#kept.delete(query);
    if (data.rows.length > MOST_ROWS) return;
    this.#kept.set(query, { data, at: this.#clock.monotonic() });
    if (this.#kept.size <= MOST_QUERIES) return;
    for (const oldest of this.#kept.keys()) {
      this.#kept.delete(oldest);
      break;
    }
  }

  of(query: string): { data: DataRows; ageMs: number } | undefined {
    const kept = this.#kept.get(query);
    return kept && { data: kept.data, ageMs: this.#clock.monotonic() - kept.at };
  }
}
