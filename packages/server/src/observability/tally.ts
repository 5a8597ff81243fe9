/** Upper bounds of all histograms, seconds (messaging details, section 19). */
export const BUCKETS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** One series of a tally. */
export interface Series {
  readonly first: string;
  readonly second: string;
  readonly count: number;
}

/**
 * Plain integers by one or two label values: what hot code counts with. Whoever exports them reads them when asked.
 */
export class LabelledCounter {
  readonly #counts = new Map<string, Map<string, number>>();

  add(first: string, second = ''): void {
    let inner = this.#counts.get(first);
    if (inner === undefined) {
      inner = new Map();
      this.#counts.set(first, inner);
    }
    inner.set(second, (inner.get(second) ?? 0) + 1);
  }

  *series(): Iterable<Series> {
    for (const [first, inner] of this.#counts) {
      for (const [second, count] of inner) yield { first, second, count };
    }
  }
}

/** Durations of one kind: how many fell under each bound, their sum and number. */
interface HistogramCells {
  /** One number per bound, and one for what exceeds them all; not cumulative. */
  readonly counts: number[];
  sum: number;
  total: number;
}

/** Durations by one label value, counted into buckets. */
export class DurationHistogram {
  /** Upper bounds in seconds, ascending. */
  readonly bounds: readonly number[];
  readonly #spreads = new Map<string, HistogramCells>();

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
  }

  add(label: string, seconds: number): void {
    let spread = this.#spreads.get(label);
    if (spread === undefined) {
      spread = { counts: new Array<number>(this.bounds.length + 1).fill(0), sum: 0, total: 0 };
      this.#spreads.set(label, spread);
    }
    let at = 0;
    while (at < this.bounds.length && seconds > (this.bounds[at] ?? 0)) at++;
    spread.counts[at] = (spread.counts[at] ?? 0) + 1;
    spread.sum += seconds;
    spread.total++;
  }

  spreads(): Iterable<[string, Readonly<HistogramCells>]> {
    return this.#spreads;
  }
}
